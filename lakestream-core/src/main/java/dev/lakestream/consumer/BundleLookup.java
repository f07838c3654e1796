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

import dev.lakestream.consumer.topology.ReadMode;
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

  private final Topology topology;
  private final Manifest manifest;
  private final Stand from;
  private final List<BundleDescriptor> bundles = new ArrayList<>();

  /**
   * @param stand where the reader stands; if the manifest holds no consumer step there after all,
   *     no bundle is found
   * @param most so many bundles are looked up at a time
   * @throws TrimmedException if it has been reclaimed
   */
  BundleLookup(TrainingStream stream, Topology topology, Manifest manifest, Stand stand, int most) {
    this.topology = topology;
    this.manifest = manifest;
    History history = stream.history(manifest);
    if (topology.mode() == ReadMode.ROWS) {
      this.from = stand.withRow(history);
      if (from.row() < manifest.firstRow()) {
        throw new TrimmedException(
            stream.id(), Math.min(from.step(), manifest.firstStep() - 1), manifest.firstStep());
      }
      if (isThere(topology, from, manifest)) {
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

  /** Passes over the bundles that hold no row of this rank. */
  private void addRows(History history, int most) {
    Stand at = from;
    long step = Math.max(from.step(), manifest.firstStep());
    while (bundles.isEmpty() && isThere(topology, at, manifest)) {
      List<BundleDescriptor> found = history.bundles(step, most);
      for (BundleDescriptor bundle : found) {
        if (at.row() + topology.d() < bundle.nextRow() && isThere(topology, at, manifest)) {
          bundles.add(bundle);
          at = after(at, bundle);
        }
      }
      step = found.get(found.size() - 1).nextStep();
    }
  }

  /** Where the reader stands when it has read what this manifest holds of the bundle. */
  Stand after(Stand at, BundleDescriptor bundle) {
    if (topology.mode() != ReadMode.ROWS) {
      return new Stand(bundle.nextStep(), bundle.nextRow());
    }
    int dp = topology.mesh().dp();
    long inBundle = (bundle.nextRow() - topology.d() - at.row() + dp - 1) / dp;
    long published = (manifest.nextRow() - at.row()) / dp;
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
}
