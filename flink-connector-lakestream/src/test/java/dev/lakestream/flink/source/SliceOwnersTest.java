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

import dev.lakestream.batch.Mesh;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SliceOwnersTest {

  @Test
  void eachSliceHasOneOwnerInBatchesOfAnyMesh() {
    for (Mesh mesh : new Mesh[] {new Mesh(1, 1), new Mesh(3, 2), new Mesh(8, 1), new Mesh(5, 4)}) {
      SliceOwners owners = new SliceOwners(ReadOrder.SLICE, mesh);
      for (int parallelism = 1; parallelism <= 12; parallelism++) {
        for (int d = 0; d < 2 * mesh.dp(); d++) {
          for (int c = 0; c < 2 * mesh.cp(); c++) {
            assertThat(owners(owners, parallelism, d, c)).hasSize(1);
          }
        }
      }
    }
  }

  @Test
  void theSlicesOfAnOwnerAreNeighboursAndOwnersHaveAboutAsMany() {
    Mesh mesh = new Mesh(6, 4);
    SliceOwners owners = new SliceOwners(ReadOrder.SLICE, mesh);
    for (int parallelism = 1; parallelism <= 30; parallelism++) {
      int readers = parallelism;
      for (int subtask = 0; subtask < parallelism; subtask++) {
        int reader = subtask;
        RankSet mine = RankSet.of(24, rank -> owners.owns(reader, readers, rank / 4, rank % 4));
        assertThat(mine.runs().size()).isLessThanOrEqualTo(1);
        assertThat(mine.count()).isBetween(24 / parallelism, 24 / parallelism + 1);
      }
    }
  }

  private static TreeSet<Integer> owners(SliceOwners owners, int parallelism, int d, int c) {
    TreeSet<Integer> found = new TreeSet<>();
    IntStream.range(0, parallelism)
        .filter(subtask -> owners.owns(subtask, parallelism, d, c))
        .forEach(found::add);
    return found;
  }
}
