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

import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.BundleDescriptor;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Splits of bundles that do not exist. */
final class Splits {

  private Splits() {}

  static BundleDescriptor bundle(Mesh mesh, int tgbs, Map<String, String> attributes) {
    return new BundleDescriptor(
        new StagedBundle(
            "data/5d/00000000000000010000000000000002-7-3-00000000000000030000000000000004.bundle",
            1_000_000,
            999_000,
            984,
            tgbs,
            mesh,
            4096,
            2_000_000,
            new EventTimeRange(1_700_000_000_000L, 1_700_000_060_000L),
            0,
            attributes),
        81_200,
        649_600,
        "ingest",
        42,
        17,
        1_700_000_061_000L);
  }

  static BundleSplit of(Mesh mesh, int tgbs) {
    return BundleSplit.of(
        bundle(mesh, tgbs, Map.of()), RankSet.of(mesh.slices(), rank -> true), 0, tgbs);
  }

  /** All that a split is to emit, were each slice to have so many records. */
  static TreeSet<List<Integer>> records(BundleSplit split, int recordsPerSlice) {
    TreeSet<List<Integer>> all =
        new TreeSet<>(
            (a, b) -> {
              for (int i = 0; i < a.size(); i++) {
                if (!a.get(i).equals(b.get(i))) {
                  return Integer.compare(a.get(i), b.get(i));
                }
              }
              return 0;
            });
    SlicePosition next = split.next();
    for (int tgb = next.tgb(); tgb < split.toTgb(); tgb++) {
      for (int rank : split.ranks().toArray()) {
        boolean begun = tgb == next.tgb() && rank <= next.rank();
        int from = !begun ? 0 : rank == next.rank() ? (int) next.record() : recordsPerSlice;
        for (int record = from; record < recordsPerSlice; record++) {
          all.add(List.of(tgb, rank, record));
        }
      }
    }
    return all;
  }
}
