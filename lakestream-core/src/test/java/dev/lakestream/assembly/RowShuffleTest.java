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
package dev.lakestream.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RowShuffleTest {

  @Property(tries = 200)
  void eachWriterGetsOneOfEachRound(
      @ForAll long seed,
      @ForAll @LongRange(max = Long.MAX_VALUE / 1024) long round,
      @ForAll @IntRange(min = 1, max = 512) int writers) {
    boolean[] served = new boolean[writers];
    for (int i = 0; i < writers; i++) {
      int writer = RowShuffle.writerFor(seed, round * writers + i, writers);
      assertThat(served[writer]).isFalse();
      served[writer] = true;
    }
  }

  @Test
  void everyPlaceInARoundIsEquallyLikelyForAWriter() {
    int writers = 7;
    int rounds = 70_000;
    int[] timesAtPlace = new int[writers];
    for (long index = 0; index < (long) rounds * writers; index++) {
      if (RowShuffle.writerFor(11, index, writers) == 3) {
        timesAtPlace[(int) (index % writers)]++;
      }
    }
    // Binomial with a standard deviation of 93: five of them.
    for (int times : timesAtPlace) {
      assertThat(times).isBetween(10_000 - 465, 10_000 + 465);
    }
  }

  @Test
  void placesInFollowingRoundsAreIndependent() {
    int writers = 4;
    int rounds = 64_000;
    int[][] following = new int[writers][writers];
    int before = RowShuffle.writerFor(5, 0, writers);
    for (long round = 1; round <= rounds; round++) {
      int now = RowShuffle.writerFor(5, round * writers, writers);
      following[before][now]++;
      before = now;
    }
    for (int[] row : following) {
      for (int times : row) {
        assertThat(times).isBetween(3_600, 4_400);
      }
    }
  }

  @Test
  void neighbouringSeedsSpreadDifferently() {
    int same = 0;
    for (long index = 0; index < 8_000; index += 8) {
      same += RowShuffle.writerFor(1, index, 8) == RowShuffle.writerFor(2, index, 8) ? 1 : 0;
    }
    assertThat(same).isBetween(70, 180);
  }

  /** Rows already written were spread by these: another function would be another stream. */
  @Test
  void theSpreadNeverChanges() {
    int[] writers = new int[12];
    for (int i = 0; i < writers.length; i++) {
      writers[i] = RowShuffle.writerFor(42, i, 3);
    }
    assertThat(writers).containsExactly(1, 2, 0, 0, 1, 2, 0, 1, 2, 0, 1, 2);
  }

  @Test
  void noWritersAreRefused() {
    assertThatThrownBy(() -> RowShuffle.writerFor(1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
