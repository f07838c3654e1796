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
package dev.lakestream.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RankLayoutTest {

  @Test
  void ranksCountTpFastestThenCpThenDpThenPp() {
    for (int tp = 1; tp <= 4; tp++) {
      for (int cp = 1; cp <= 4; cp++) {
        for (int dp = 1; dp <= 4; dp++) {
          for (int pp = 1; pp <= 4; pp++) {
            checkOrder(new RankLayout(tp, cp, dp, pp));
          }
        }
      }
    }
  }

  private static void checkOrder(RankLayout layout) {
    int rank = 0;
    for (int p = 0; p < layout.pp(); p++) {
      for (int d = 0; d < layout.dp(); d++) {
        for (int c = 0; c < layout.cp(); c++) {
          for (int t = 0; t < layout.tp(); t++) {
            assertThat(layout.position(rank))
                .isEqualTo(new RankPosition(new Mesh(layout.dp(), layout.cp()), d, c));
            assertThat(List.of(layout.tpRank(rank), layout.ppRank(rank))).containsExactly(t, p);
            rank++;
          }
        }
      }
    }
    assertThat(layout.worldSize()).isEqualTo(rank);
    assertThat(RankLayout.ofWorld(rank, layout.tp(), layout.cp(), layout.pp())).isEqualTo(layout);
  }

  @Test
  void everyRankSharesItsSliceWithItsTpAndPpGroupOnly() {
    for (int tp = 1; tp <= 3; tp++) {
      for (int pp = 1; pp <= 3; pp++) {
        RankLayout layout = new RankLayout(tp, 2, 3, pp);
        TreeSet<Integer> all = new TreeSet<>();
        for (int d = 0; d < 3; d++) {
          for (int c = 0; c < 2; c++) {
            List<Integer> ranks = layout.ranksAt(d, c);
            RankPosition position = RankPosition.of(3, 2, d, c);
            assertThat(ranks).hasSize(tp * pp).isSorted();
            assertThat(ranks).allMatch(rank -> layout.position(rank).equals(position));
            all.addAll(ranks);
          }
        }
        assertThat(new ArrayList<>(all)).hasSize(layout.worldSize());
      }
    }
  }

  @Test
  void theSixteenRanksOfTheMegatronDocumentationFallWhereItSays() {
    // TP 2, PP 4 on 16 ranks: the tensor groups are [0, 1], [2, 3] …, the pipeline groups [0, 4, 8,
    // 12] ….
    RankLayout layout = RankLayout.ofWorld(16, 2, 1, 4);
    assertThat(layout.dp()).isEqualTo(2);
    assertThat(layout.dpRank(0)).isEqualTo(layout.dpRank(1)).isEqualTo(layout.dpRank(4)).isZero();
    assertThat(layout.dpRank(2)).isEqualTo(1);
    assertThat(layout.ppRank(12)).isEqualTo(3);
  }

  @Test
  void anEnvironmentIsReadAsTorchrunSetsIt() {
    assertThat(RankLayout.fromEnvironment(Map.of("RANK", "5", "WORLD_SIZE", "8"), 2, 2, 1))
        .isEqualTo(RankPosition.of(2, 2, 1, 0));
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    assertThatThrownBy(() -> RankLayout.ofWorld(10, 2, 2, 1))
        .isInstanceOf(LakestreamException.class)
        .hasMessageContaining("10 ranks")
        .hasMessageContaining("2 x 2 x 1");
    assertThatThrownBy(() -> RankLayout.ofWorld(8, 0, 2, 1)).hasMessageContaining("0 x 2 x 1");
    assertThatThrownBy(() -> new RankLayout(1, 1, 0, 1)).hasMessageContaining("1 or more");
    assertThatThrownBy(() -> new RankLayout(65536, 1, 65536, 1)).hasMessageContaining("65536");
    assertThatThrownBy(() -> new RankLayout(1, 1, 2, 1).position(2))
        .hasMessageContaining("no rank 2 in a world of 2");
    assertThatThrownBy(() -> RankPosition.of(2, 2, 2, 0))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("(2, 0)");
    assertThatThrownBy(() -> RankLayout.fromEnvironment(Map.of("RANK", "0"), 1, 1, 1))
        .hasMessageContaining("WORLD_SIZE is not set");
    assertThatThrownBy(
            () -> RankLayout.fromEnvironment(Map.of("RANK", "zero", "WORLD_SIZE", "1"), 1, 1, 1))
        .hasMessageContaining("RANK = 'zero'");
    assertThatThrownBy(
            () -> RankLayout.fromEnvironment(Map.of("RANK", "4", "WORLD_SIZE", "4"), 1, 1, 1))
        .hasMessageContaining("no rank 4");
  }
}
