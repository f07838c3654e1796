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

import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Mesh;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.store.Futures;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FetchPlanTest {

  private static final Mesh MESH = new Mesh(4, 2);

  private BundleDescriptor bundle;
  private BundleIndex index;

  private void write(int tgbs, int recordsPerSlice) {
    TestStream stream = TestStream.inMemory(MESH).stepsPerBundle(tgbs);
    stream.recordsPerSlice(recordsPerSlice).append(tgbs);
    bundle = stream.stream().history(stream.head()).bundles(0, 1).get(0);
    index =
        Futures.await(
            BundleReader.of(stream.stream().store(), stream.stream().id(), bundle.bundle())
                .index());
  }

  @Test
  void whateverTheMemoryAllSlicesAreInThePlanOnceAndInOrder() {
    write(5, 20);
    RankSet[] selections = {
      RankSet.of(8, rank -> true),
      RankSet.of(8, rank -> rank % 2 == 0),
      RankSet.of(8, rank -> rank == 3)
    };
    for (RankSet ranks : selections) {
      for (int from = 0; from < 5; from++) {
        for (int to = from + 1; to <= 5; to++) {
          for (long most = 1; most < 1 << 20; most *= 3) {
            BundleSplit split = BundleSplit.of(bundle, ranks, from, to);
            List<List<Integer>> planned = new ArrayList<>();
            for (FetchPlan.Part part : FetchPlan.of(split, index, most)) {
              for (int tgb = part.fromTgb(); tgb < part.toTgb(); tgb++) {
                for (int rank : part.ranks().toArray()) {
                  planned.add(List.of(tgb, rank));
                }
              }
              boolean oneSlice = part.ranks().count() == 1 && part.toTgb() == part.fromTgb() + 1;
              assertThat(part.bytes() <= most || oneSlice).isTrue();
            }
            assertThat(planned).isEqualTo(slices(ranks, from, to));
          }
        }
      }
    }
  }

  private static List<List<Integer>> slices(RankSet ranks, int from, int to) {
    List<List<Integer>> all = new ArrayList<>();
    for (int tgb = from; tgb < to; tgb++) {
      for (int rank : ranks.toArray()) {
        all.add(List.of(tgb, rank));
      }
    }
    return all;
  }

  @Test
  void aBatchThatIsTooLargeIsReadSomeRanksAtATimeWithoutTables() {
    write(1, 500);
    BundleSplit split = BundleSplit.of(bundle, RankSet.of(8, rank -> true), 0, 1);
    long quarter = bundle.bundle().objectLength() / 3;
    List<FetchPlan.Part> parts = FetchPlan.of(split, index, quarter);
    assertThat(parts).hasSize(4).allMatch(FetchPlan.Part::wholeSections);
    assertThat(FetchPlan.wholeBundle(split, bundle.bundle().objectLength(), quarter)).isFalse();
  }

  @Test
  void aLittleIsReadForNothingWhereThatSparesRequests() {
    write(8, 20);
    RankSet all = RankSet.of(8, rank -> true);
    assertThat(FetchPlan.of(BundleSplit.of(bundle, all, 3, 8), index, 1 << 20))
        .singleElement()
        .matches(FetchPlan.Part::wholeSections);
    assertThat(FetchPlan.of(BundleSplit.of(bundle, all, 7, 8), index, 1 << 20))
        .singleElement()
        .matches(part -> !part.wholeSections());
  }
}
