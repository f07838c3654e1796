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
package dev.lakestream.examples.quickstart;

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks at the stream from outside, as any reader may, while the job writes it. */
final class StreamWatch implements AutoCloseable {

  private final ObjectStore store;
  private TrainingStream stream;

  StreamWatch(String address) {
    this.store = Stores.open(address, Map.of());
  }

  /** The newest manifest; empty while the job has not created the stream. */
  Optional<Manifest> newest() {
    if (stream == null) {
      try {
        stream = TrainingStream.open(store);
      } catch (StreamNotFoundException notYet) {
        return Optional.empty();
      }
    }
    return Optional.of(stream.log().newest());
  }

  long steps() {
    return newest().map(Manifest::nextStep).orElse(0L);
  }

  /** The newest checkpoint of the job whose batches are in the stream; 0: none. */
  static long publishedCheckpoint(Manifest manifest) {
    return manifest.producers().stream()
        .map(ProducerEntry::currentLineage)
        .mapToLong(Lineage::sequence)
        .max()
        .orElse(0);
  }

  /**
   * The stream at rest.
   *
   * @param bundles objects that hold batches
   * @param storedBytes of these objects
   */
  record Totals(long steps, long manifests, int bundles, long storedBytes) {}

  Totals totals() {
    Manifest manifest = newest().orElseThrow();
    List<StagedBundle> bundles = published(manifest);
    return new Totals(
        manifest.nextStep(),
        manifest.version() + 1,
        bundles.size(),
        bundles.stream().mapToLong(StagedBundle::objectLength).sum());
  }

  private List<StagedBundle> published(Manifest manifest) {
    return stream.history(manifest).bundles(manifest.firstStep(), Integer.MAX_VALUE).stream()
        .map(BundleDescriptor::bundle)
        .toList();
  }

  /** How many bundles are in the store and in no manifest: no reader sees them. */
  int unpublished() {
    Set<String> objects = new HashSet<>();
    String last = "";
    Listing page;
    do {
      page = Futures.await(store.list(StreamKeys.DATA_PREFIX, last, 1000));
      for (Listing.Entry object : page.objects()) {
        objects.add(object.key());
        last = object.key();
      }
    } while (page.truncated());
    // Read after the listing, so that what has been published meanwhile does not count.
    newest().ifPresent(m -> published(m).forEach(bundle -> objects.remove(bundle.object())));
    return objects.size();
  }

  @Override
  public void close() {
    store.close();
  }
}
