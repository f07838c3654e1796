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
package dev.lakestream.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class BundleSplitTest {

  private static final Mesh MESH = new Mesh(2, 2);
  private static final int RECORDS = 2;

  @Test
  void cutAnywhereNothingIsLostAndNothingIsTwice() {
    BundleSplit whole = Splits.of(MESH, 3);
    for (int tgb = 0; tgb < 3; tgb++) {
      for (int rank = 0; rank < 4; rank++) {
        for (int record = 0; record <= RECORDS; record++) {
          BundleSplit split = whole.at(new SlicePosition(tgb, rank, record));
          for (int subset = 0; subset < 1 << 4; subset++) {
            int bits = subset;
            IntPredicate mine = r -> (bits >> r & 1) == 1;
            TreeSet<List<Integer>> both = new TreeSet<>(Splits.records(whole, 0).comparator());
            split.restrictedTo(mine).ifPresent(s -> both.addAll(Splits.records(s, RECORDS)));
            int sum =
                both.size()
                    + split
                        .restrictedTo(mine.negate())
                        .map(s -> Splits.records(s, RECORDS))
                        .map(
                            records -> {
                              both.addAll(records);
                              return records.size();
                            })
                        .orElse(0);
            assertThat(both).isEqualTo(Splits.records(split, RECORDS)).hasSize(sum);
          }
        }
      }
    }
  }

  @Test
  void whatLiesBelowATrimOrBehindAnEndIsLeftOut() {
    BundleSplit split = Splits.of(MESH, 4).at(new SlicePosition(1, 2, 5));
    long first = split.bundle().firstStep();
    assertThat(split.fromStep(first)).contains(split);
    assertThat(split.fromStep(first + 1)).contains(split);
    assertThat(split.fromStep(first + 3))
        .hasValueSatisfying(left -> assertThat(left.next()).isEqualTo(new SlicePosition(3, 0, 0)));
    assertThat(split.fromStep(first + 4)).isEmpty();
    assertThat(split.beforeStep(first + 4)).contains(split);
    assertThat(split.beforeStep(Long.MAX_VALUE)).contains(split);
    assertThat(split.beforeStep(first + 2))
        .hasValueSatisfying(left -> assertThat(left.toTgb()).isEqualTo(2));
    assertThat(split.beforeStep(first + 1)).isEmpty();
    assertThat(split.beforeStep(0)).isEmpty();
  }

  @Test
  void aSplitThatCannotBeIsRefused() {
    BundleSplit split = Splits.of(MESH, 2);
    assertThatThrownBy(() -> split.at(new SlicePosition(2, 0, 0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> split.at(new SlicePosition(0, 4, 0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BundleSplit(split.bundle(), RankSet.NONE, 1, split.next()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
