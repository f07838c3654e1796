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

import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.RowPlace;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import java.util.ArrayList;
import java.util.List;

/** Which bundles hold what a rank reads next, as of one manifest. */
final class BundleLookup {

  private final TrainingStream stream;
  private final Topology topology;
  private final Manifest manifest;
  private final Stand from;
  private final List<BundleDescriptor> bundles = new ArrayList<>();
  private long endRow;

  /**
   * @param stand where the reader stands; if the manifest holds no consumer step there after all,
   *     no bundle is found
   * @param most so many bundles are looked up at a time
   * @throws TrimmedException if it has been reclaimed
   * @throws MeshMismatchException if, in mode {@code rows}, one of the rows of the next consumer
   *     step cannot be read, whichever rank's it is
   */
  BundleLookup(TrainingStream stream, Topology topology, Manifest manifest, Stand stand, int most) {
    this.stream = stream;
    this.topology = topology;
    this.manifest = manifest;
    this.endRow = manifest.nextRow();
    History history = stream.history(manifest);
    if (topology.mode() == ReadMode.ROWS) {
      this.from = stand.withRow(history);
      if (from.row() < manifest.firstRow()) {
        throw new TrimmedException(
            stream.id(), Math.min(from.step(), manifest.firstStep() - 1), manifest.firstStep());
      }
      if (isThere(from)) {
        addRows(history, most);
      }
    } else {
      this.from = stand;
      bundles.addAll(history.bundles(from.step(), most));
    }
  }

  /** Whether the stream holds a consumer step there; if the row is not known, perhaps. */
  static boolean isThere(Topology topology, Stand stand, Manifest manifest) {
    return topology.mode() == ReadMode.ROWS && stand.knowsRow()
        ? stand.row() + topology.mesh().dp() <= manifest.nextRow()
        : stand.step() < manifest.nextStep();
  }

  /**
   * Passes over the bundles that hold no row of this rank, but not over their meshes: of a consumer
   * step all rows are looked at, so that all ranks read it or none does.
   */
  private void addRows(History history, int most) {
    Stand at = from;
    long step = Math.max(from.step(), manifest.firstStep());
    long seen = from.row();
    while (bundles.isEmpty() ? isThere(at) : seen < Math.min(at.row(), endRow)) {
      List<BundleDescriptor> found = history.bundles(step, most);
      boolean adding = bundles.isEmpty();
      for (BundleDescriptor bundle : found) {
        if (bundle.nextRow() > from.row() && seen < endRow) {
          check(bundle);
          seen = bundle.nextRow();
        }
        if (adding && isThere(at) && at.row() + topology.d() < bundle.nextRow()) {
          bundles.add(bundle);
          at = after(at, bundle);
        }
      }
      step = found.get(found.size() - 1).nextStep();
    }
    dropFromEnd();
  }

  /**
   * The first consumer step with a row that cannot be read is the end for this lookup.
   *
   * @throws MeshMismatchException if it is the one where the reader stands
   */
  private void check(BundleDescriptor bundle) {
    try {
      topology.check(bundle.bundle().mesh());
    } catch (MeshMismatchException e) {
      int dp = topology.mesh().dp();
      long row = Math.max(bundle.firstRow(), from.row());
      long begin = from.row() + (row - from.row()) / dp * dp;
      if (begin == from.row()) {
        long step =
            RowPlace.of(bundle.firstStep(), bundle.firstRow(), bundle.bundle().mesh(), row).step();
        throw e.at(
            "Step %d of %s (row %d, of the consumer step of rows %d to %d)"
                .formatted(step, stream, row, begin, begin + dp - 1));
      }
      endRow = Math.min(endRow, begin);
    }
  }

  /** Bundles that were added before it was known where the end is. */
  private void dropFromEnd() {
    List<BundleDescriptor> added = List.copyOf(bundles);
    bundles.clear();
    Stand at = from;
    for (BundleDescriptor bundle : added) {
      if (isThere(at)) {
        bundles.add(bundle);
        at = after(at, bundle);
      }
    }
  }

  private boolean isThere(Stand at) {
    return at.row() + topology.mesh().dp() <= endRow;
  }

  /** Where the reader stands when it has read what this lookup holds of the bundle. */
  Stand after(Stand at, BundleDescriptor bundle) {
    if (topology.mode() != ReadMode.ROWS) {
      return new Stand(bundle.nextStep(), bundle.nextRow());
    }
    int dp = topology.mesh().dp();
    long inBundle = (bundle.nextRow() - topology.d() - at.row() + dp - 1) / dp;
    long published = (endRow - at.row()) / dp;
    return new Stand(at.step(), at.row() + Math.min(inBundle, published) * dp);
  }

  /** Where the reader stands; in mode {@code rows} with its row. */
  Stand from() {
    return from;
  }

  List<BundleDescriptor> bundles() {
    return bundles;
  }

  Manifest manifest() {
    return manifest;
  }

  /** In mode {@code rows}: the steps that lie before this row, all of them, are those to read. */
  long endRow() {
    return endRow;
  }
}
