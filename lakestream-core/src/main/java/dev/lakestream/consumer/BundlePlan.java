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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.SectionTable;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.SliceShape;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How a rank reads one bundle: its section in one range; or, from the middle on and where the
 * section is long, its table and then ranges of bounded length. Asks at once how long the section
 * is, so that the footers of several bundles, where they are needed at all, are read at the same
 * time.
 */
final class BundlePlan {

  /**
   * A range to be fetched.
   *
   * @param table null: the whole section, whose table comes with it
   */
  record Part(SectionTable table, int fromTgb, int toTgb, long bytes) {}

  private final BundleDescriptor bundle;
  private final RankPosition position;
  private final long version;
  private final int fromTgb;
  private final BundleReader reader;
  private final CompletableFuture<Long> sectionLength;

  private BundlePlan(
      BundleDescriptor bundle,
      RankPosition position,
      long version,
      int fromTgb,
      BundleReader reader,
      CompletableFuture<Long> sectionLength) {
    this.bundle = bundle;
    this.position = position;
    this.version = version;
    this.fromTgb = fromTgb;
    this.reader = reader;
    this.sectionLength = sectionLength;
  }

  /**
   * A bundle that cannot be read is a plan all the same: it fails when its turn comes.
   *
   * @param fromStep the first one wanted; one of the bundle's
   * @param version of the manifest in which the bundle was found
   */
  static BundlePlan of(
      TrainingStream stream,
      BundleDescriptor bundle,
      RankPosition position,
      long fromStep,
      long version) {
    BundleReader reader = null;
    CompletableFuture<Long> length;
    try {
      requireSameMesh(stream, bundle, position, fromStep);
      reader = BundleReader.of(stream.store(), stream.id(), bundle.bundle());
      length = reader.sectionLength(position.d(), position.c());
    } catch (LakestreamException e) {
      length = CompletableFuture.failedFuture(e);
    }
    int fromTgb = (int) (fromStep - bundle.firstStep());
    return new BundlePlan(bundle, position, version, fromTgb, reader, length);
  }

  private static void requireSameMesh(
      TrainingStream stream, BundleDescriptor bundle, RankPosition position, long step) {
    try {
      new Topology(ReadMode.EXACT, SliceShape.OPAQUE, position.mesh(), position.d(), position.c())
          .check(bundle.bundle().mesh());
    } catch (MeshMismatchException e) {
      throw e.at("Step " + step + " of " + stream);
    }
  }

  /**
   * Waits for what the store has to say about the section.
   *
   * @throws MeshMismatchException if the bundle was written for another mesh than the rank's
   */
  List<Part> parts(long mostBytes) {
    int tgbs = bundle.bundle().tgbCount();
    long length = Futures.await(sectionLength);
    if (fromTgb == 0 && length <= mostBytes) {
      return List.of(new Part(null, 0, tgbs, length));
    }
    SectionTable table = Futures.await(reader.readTable(position.d(), position.c()));
    List<Part> parts = new ArrayList<>();
    int from = fromTgb;
    long bytes = 0;
    for (int tgb = fromTgb; tgb < tgbs; tgb++) {
      if (tgb > from && bytes + table.storedBytes(tgb) > mostBytes) {
        parts.add(new Part(table, from, tgb, bytes));
        from = tgb;
        bytes = 0;
      }
      bytes += table.storedBytes(tgb);
    }
    parts.add(new Part(table, from, tgbs, bytes));
    return parts;
  }

  Fetch start(Part part) {
    return new Fetch(
        bundle,
        version,
        part.toTgb(),
        part.bytes(),
        part.table() == null
            ? reader.readSection(position.d(), position.c())
            : reader.read(part.table(), part.fromTgb(), part.toTgb()));
  }
}
