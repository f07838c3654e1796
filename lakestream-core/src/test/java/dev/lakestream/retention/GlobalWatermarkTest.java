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
package dev.lakestream.retention;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GlobalWatermarkTest {

  private static final UUID STREAM = new UUID(1, 2);

  private static Watermark mark(String group, int rank, int world, long generation, long step) {
    return new Watermark(
        STREAM, group, rank, world, generation, 0, step, Optional.empty(), 0, Watermark.Kind.RANK);
  }

  private static Tag tag(String name, long first, long next) {
    return new Tag(STREAM, name, first, next, 0, "");
  }

  private static GlobalWatermark of(Watermark... marks) {
    return GlobalWatermark.of(List.of(marks), List.of());
  }

  @Test
  void nothingRecordedHoldsNothingAndSaysSo() {
    assertThat(of().step()).isEmpty();
    assertThat(of().lowest()).isEmpty();
  }

  @Test
  void theSlowestRankOfTheSlowestGroupHolds() {
    GlobalWatermark global =
        of(mark("train", 0, 2, 0, 70), mark("train", 1, 2, 0, 50), mark("replay", 0, 1, 0, 60));
    assertThat(global.step()).hasValue(50);
    assertThat(global.lowest())
        .hasValueSatisfying(
            hold -> {
              assertThat(hold.name()).isEqualTo("train");
              assertThat(hold.rank()).isEqualTo(1);
            });
    assertThat(global.groups()).extracting(Hold::step).containsExactly(60L, 50L);
  }

  @Test
  void aTagPinsFromItsFirstStepOn() {
    GlobalWatermark global =
        GlobalWatermark.of(
            List.of(mark("train", 0, 1, 0, 50)), List.of(tag("v1", 20, 30), tag("v2", 40, 90)));
    assertThat(global.step()).hasValue(20);
    assertThat(global.lowest()).map(Hold::name).contains("v1");
    assertThat(global.slowest()).map(Hold::name).contains("train");
    assertThat(GlobalWatermark.of(List.of(), List.of(tag("v1", 20, 30))).step()).hasValue(20);
  }

  @Test
  void ranksOfALargerWorldThatIsPastHoldNothing() {
    assertThat(
            of(
                    mark("t", 0, 2, 2, 90),
                    mark("t", 1, 2, 2, 95),
                    mark("t", 2, 4, 1, 10),
                    mark("t", 3, 4, 1, 10))
                .step())
        .hasValue(90);
  }

  @Test
  void aHalfStartedGenerationDoesNotLetGoOfTheCompleteOne() {
    // A world of 2 grows to 4, whose ranks 2 and 3 are the first to record.
    assertThat(
            of(
                    mark("t", 0, 2, 1, 10),
                    mark("t", 1, 2, 1, 12),
                    mark("t", 2, 4, 2, 90),
                    mark("t", 3, 4, 2, 90))
                .step())
        .hasValue(10);
  }

  @Test
  void aHalfStartedGenerationHoldsWhatItAsksFor() {
    // It went back to an older checkpoint than the complete one stands at.
    assertThat(of(mark("t", 0, 2, 1, 50), mark("t", 1, 2, 1, 50), mark("t", 2, 3, 2, 20)).step())
        .hasValue(20);
  }

  @Test
  void aGenerationThatIsBeingOverwrittenStillHolds() {
    // Rank 0 of the new world has taken the place of rank 0 of the old one: neither is complete.
    assertThat(of(mark("t", 0, 4, 2, 90), mark("t", 1, 2, 1, 12)).step()).hasValue(12);
  }

  @Test
  void membersThatDisagreeOnTheirNumberAreCompleteByTheLargerOne() {
    assertThat(of(mark("t", 0, 1, 2, 90), mark("t", 1, 3, 2, 90), mark("t", 2, 3, 1, 5)).step())
        .hasValue(5);
  }

  /** As long as anything is left of a world, one that is half started does not let go for it. */
  @Test
  void whateverIsRecordedInWhateverOrderACompleteWorldIsNeverOvertaken() {
    Random random = new Random(4);
    for (int round = 0; round < 2_000; round++) {
      List<Watermark> stored = new ArrayList<>();
      long generation = 0;
      long step = 0;
      for (int change = 0; change < 4; change++) {
        int world = 1 + random.nextInt(5);
        generation++;
        step += random.nextInt(10);
        List<Integer> ranks = new ArrayList<>();
        for (int rank = 0; rank < world; rank++) {
          ranks.add(rank);
        }
        java.util.Collections.shuffle(ranks, random);
        long before = GlobalWatermark.of(stored, List.of()).step().orElse(0);
        for (int i = 0; i < world; i++) {
          int rank = ranks.get(i);
          stored.removeIf(mark -> mark.rank() == rank);
          stored.add(mark("t", rank, world, generation, step));
          long now = GlobalWatermark.of(stored, List.of()).step().orElseThrow();
          long newest = generation;
          assertThat(now).isLessThanOrEqualTo(step);
          if (i == world - 1) {
            assertThat(now).isEqualTo(step);
          } else if (stored.stream().anyMatch(mark -> mark.generation() == newest - 1)) {
            assertThat(now).isLessThanOrEqualTo(before);
          }
        }
      }
    }
  }
}
