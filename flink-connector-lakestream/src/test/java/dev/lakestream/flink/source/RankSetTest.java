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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RankSetTest {

  @Test
  void everySubsetOfTenRanksIsKeptAsItIs() {
    for (int subset = 1; subset < 1 << 10; subset++) {
      int bits = subset;
      RankSet set = RankSet.of(10, rank -> (bits >> rank & 1) == 1);
      int[] expected = IntStream.range(0, 10).filter(rank -> (bits >> rank & 1) == 1).toArray();
      assertThat(set.toArray()).containsExactly(expected);
      assertThat(set.count()).isEqualTo(expected.length);
      assertThat(set.first()).isEqualTo(expected[0]);
      assertThat(set.end()).isEqualTo(expected[expected.length - 1] + 1);
      for (int rank = 0; rank < 10; rank++) {
        assertThat(set.contains(rank)).isEqualTo((bits >> rank & 1) == 1);
      }
      for (int count = 0; count <= 10; count++) {
        assertThat(set.head(count).toArray())
            .containsExactly(IntStream.of(expected).limit(count).toArray());
      }
    }
  }

  @Test
  void neighboursAreOneRun() {
    assertThat(SliceSelection.dpRanks(List.of(1, 2)).ranksOf(new Mesh(4, 3)).runs())
        .containsExactly(new RankSet.Run(3, 9));
    assertThat(SliceSelection.cpRanks(List.of(2)).ranksOf(new Mesh(3, 3)).runs()).hasSize(3);
    assertThat(SliceSelection.all().ranksOf(new Mesh(3, 3)).runs()).hasSize(1);
    assertThat(SliceSelection.dpRanks(List.of(7)).ranksOf(new Mesh(3, 3)).isEmpty()).isTrue();
  }

  @Test
  void runsOutOfOrderAreRefused() {
    assertThatThrownBy(() -> new RankSet(List.of(new RankSet.Run(2, 4), new RankSet.Run(4, 5))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RankSet.Run(2, 2)).isInstanceOf(IllegalArgumentException.class);
  }
}
