/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.lakestream.commit.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacingTest {

  private static final RandomGenerator NO_JITTER = () -> 0L;
  private static final RandomGenerator FULL_JITTER = () -> -1L;

  /**
   * By hand, with -ln(1 - 0.2) = 0.2231436: T_conf = (N-1)·τ/0.2231436 - τ, T_cost = 9·τ at δ =
   * 0.1.
   */
  @ParameterizedTest
  @CsvSource({
    // N, window ms, gap ms
    "1, 100, 900", // alone: the cost decides
    "2, 100, 900", // T_conf 348.1
    "3, 100, 900", // T_conf 796.3
    "4, 100, 1244.43", // T_conf decides from here on
    "8, 100, 3036.99",
    "8, 50, 1518.50",
    "100, 10, 4426.63",
    "1, 0, 0",
  })
  void dacFollowsTheEquations(int producers, long window, double gap) {
    assertThat(millis(dac(1, NO_JITTER).afterAttempt(attempt(true, window, producers))))
        .isCloseTo(gap, within(0.05));
  }

  @Test
  void dacSpreadsTheGapUpByRho() {
    assertThat(millis(dac(1, FULL_JITTER).afterAttempt(attempt(true, 100, 1))))
        .isCloseTo(1080, within(0.05));
    PacingPolicy seeded = dac(1, new Random(1));
    for (int i = 0; i < 1000; i++) {
      assertThat(millis(seeded.afterAttempt(attempt(i % 2 == 0, 100, 1)))).isBetween(900.0, 1080.0);
    }
  }

  @Test
  void dacAveragesTheWindow() {
    PacingPolicy dac = dac(0.25, NO_JITTER);
    assertThat(millis(dac.afterAttempt(attempt(true, 100, 1)))).isCloseTo(900, within(0.05));
    // 0.25·300 + 0.75·100 = 150
    assertThat(millis(dac.afterAttempt(attempt(false, 300, 1)))).isCloseTo(1350, within(0.05));
    // 0.25·50 + 0.75·150 = 125
    assertThat(millis(dac.afterAttempt(attempt(true, 50, 1)))).isCloseTo(1125, within(0.05));
  }

  @Test
  void dacComesBackDownWhenTheOthersAreGoneAndTheWindowIsShortAgain() {
    PacingPolicy dac = Pacing.DAC.create(new Random(1));
    Duration crowded = Duration.ZERO;
    for (int i = 0; i < 50; i++) {
      crowded = dac.afterAttempt(attempt(i % 4 == 0, 400, 8));
    }
    assertThat(crowded).isGreaterThan(Duration.ofSeconds(10));
    Duration alone = crowded;
    int commits = 0;
    while (alone.compareTo(Duration.ofMillis(500)) > 0) {
      alone = dac.afterAttempt(attempt(true, 40, 1));
      commits++;
    }
    // 9·τ·1.2 with τ = 40 + 360·0.8^n falls under 500 ms once 0.8^n < 0.0175
    assertThat(commits).isLessThanOrEqualTo(19);
  }

  @Test
  void dacMakesALoserEagerUntilItWins() {
    PacingPolicy dac = dac(1, NO_JITTER);
    assertThat(millis(dac.afterAttempt(attempt(false, 100, 8)))).isCloseTo(3037, within(0.1));
    assertThat(millis(dac.afterAttempt(attempt(false, 100, 8)))).isCloseTo(1518.5, within(0.1));
    assertThat(millis(dac.afterAttempt(attempt(false, 100, 8)))).isCloseTo(759.2, within(0.1));
    dac.afterAttempt(attempt(false, 100, 8));
    assertThat(millis(dac.afterAttempt(attempt(false, 100, 8)))).isCloseTo(189.8, within(0.1));
    // less than a window is not worth waiting
    assertThat(dac.afterAttempt(attempt(false, 100, 8))).isZero();
    for (int i = 0; i < 5000; i++) {
      assertThat(dac.afterAttempt(attempt(false, 100, 8))).isZero();
    }
    assertThat(millis(dac.afterAttempt(attempt(true, 100, 8)))).isCloseTo(3037, within(0.1));
    assertThat(millis(dac.afterAttempt(attempt(false, 100, 8)))).isCloseTo(3037, within(0.1));
  }

  @Test
  void dacNeverWaitsLongerThanItsBound() {
    PacingPolicy dac = Pacing.DAC.create(new Random(1));
    assertThat(dac.afterAttempt(attempt(false, 600_000, 1000))).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void fixedGapsAreFixed() {
    for (boolean won : new boolean[] {true, false, false, true}) {
      assertThat(Pacing.NAIVE.create(NO_JITTER).afterAttempt(attempt(won, 100, 8))).isZero();
      assertThat(Pacing.FIXED_10.create(NO_JITTER).afterAttempt(attempt(won, 100, 8)))
          .isEqualTo(Duration.ofMillis(10));
      assertThat(Pacing.FIXED_100.create(NO_JITTER).afterAttempt(attempt(won, 100, 8)))
          .isEqualTo(Duration.ofMillis(100));
    }
  }

  @Test
  void incrementalAddsAtEachLossAndStartsOverAtEachSuccess() {
    PacingPolicy policy = Pacing.INCREMENTAL.create(NO_JITTER);
    assertThat(gaps(policy, "wlllwl")).containsExactly(10, 20, 30, 40, 10, 20);
    for (int i = 0; i < 2000; i++) {
      policy.afterAttempt(attempt(false, 100, 8));
    }
    assertThat(gaps(policy, "lw")).containsExactly(10_000, 10);
  }

  @Test
  void aimdDoublesAtEachLossAndTakesAConstantOffAtEachSuccess() {
    PacingPolicy policy = Pacing.AIMD.create(NO_JITTER);
    assertThat(gaps(policy, "wlllwwl")).containsExactly(10, 20, 40, 80, 70, 60, 120);
    for (int i = 0; i < 50; i++) {
      policy.afterAttempt(attempt(false, 100, 8));
    }
    assertThat(gaps(policy, "lw")).containsExactly(10_000, 9_990);
  }

  private static PacingPolicy dac(double alpha, RandomGenerator random) {
    return new DacPacing(
        new DacPacing.Settings(alpha, 0.2, 0.1, 0.2, Duration.ofSeconds(30)), random);
  }

  private static PacingPolicy.Attempt attempt(boolean won, long windowMillis, int producers) {
    return new PacingPolicy.Attempt(won, Duration.ofMillis(windowMillis), producers);
  }

  private static int[] gaps(PacingPolicy policy, String results) {
    return results
        .chars()
        .map(result -> (int) policy.afterAttempt(attempt(result == 'w', 100, 8)).toMillis())
        .toArray();
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }
}
