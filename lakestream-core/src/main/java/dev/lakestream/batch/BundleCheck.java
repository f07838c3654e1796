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
package dev.lakestream.batch;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Whether a bundle is in the store as it was described. The committer asks before it publishes
 * (invariant I4), {@code verify} afterwards. A bundle that is missing or cannot be read is the
 * {@link dev.lakestream.store.StoreException} of that request, so that "missing" and "not known
 * now" stay different answers; one that is not as described is a {@link CorruptObjectException}.
 */
public final class BundleCheck {

  static final int CHUNK_LENGTH = 64 << 20;

  private BundleCheck() {}

  /**
   * Cheap, one request: the object is there, has the length, and ends in the footer that was
   * described.
   */
  public static CompletableFuture<Void> exists(
      ObjectStore store, UUID streamId, StagedBundle bundle) {
    BundleReader reader = BundleReader.of(store, streamId, bundle);
    return store
        .readSuffix(bundle.object(), bundle.footerLength() + BundleFormat.TRAILER_LENGTH)
        .thenAccept(
            suffix -> {
              if (suffix.objectLength() != bundle.objectLength()) {
                throw new CorruptObjectException(
                    reader.what()
                        + " has "
                        + suffix.objectLength()
                        + " bytes and was described with "
                        + bundle.objectLength()
                        + ".");
              }
              reader.decodeIndex(suffix.bytes().slice());
            });
  }

  /**
   * Complete: every byte of the object is one that the format and the descriptor put there.
   * Decompresses every slice. Holds {@value #CHUNK_LENGTH} bytes at a time, or one slice if that is
   * longer.
   */
  public static void full(ObjectStore store, UUID streamId, StagedBundle bundle) {
    Futures.await(exists(store, streamId, bundle));
    full(store, BundleReader.of(store, streamId, bundle));
  }

  /** The same for a bundle of which nothing but the name is known; returns what it is. */
  public static StagedBundle full(ObjectStore store, String object) {
    BundleReader reader = Futures.await(BundleReader.open(store, object));
    full(store, reader);
    return reader.bundle();
  }

  private static void full(ObjectStore store, BundleReader reader) {
    StagedBundle bundle = reader.bundle();
    ByteBuffer header =
        Futures.await(store.read(bundle.object(), 0, BundleFormat.HEADER_LENGTH))
            .order(ByteOrder.LITTLE_ENDIAN);
    Frame.checkHeader(header, BundleFormat.MAGIC, BundleFormat.VERSION, reader.what());
    BundleIndex index = Futures.await(reader.index());
    long[] records = new long[bundle.tgbCount()];
    long[] rawBytes = new long[bundle.tgbCount()];
    for (int d = 0; d < bundle.mesh().dp(); d++) {
      for (int c = 0; c < bundle.mesh().cp(); c++) {
        for (RankSection part : parts(reader, index, d, c)) {
          part.checkPadding();
          for (int k = part.fromTgb(); k < part.toTgb(); k++) {
            Slice slice = part.slice(k);
            checkUniform(reader, index, k, slice);
            records[k] += slice.records();
            rawBytes[k] += slice.bytes().remaining();
          }
        }
      }
    }
    for (int k = 0; k < bundle.tgbCount(); k++) {
      BundleIndex.Tgb tgb = index.tgbs().get(k);
      if (tgb.records() != records[k] || tgb.rawBytes() != rawBytes[k]) {
        throw new CorruptObjectException(
            reader.what()
                + " states "
                + tgb.records()
                + " records and "
                + tgb.rawBytes()
                + " bytes for batch "
                + k
                + "; its slices hold "
                + records[k]
                + " and "
                + rawBytes[k]
                + ".");
      }
    }
  }

  private static void checkUniform(BundleReader reader, BundleIndex index, int k, Slice slice) {
    OptionalInt stated = index.tgbs().get(k).uniformSliceRecords();
    if (stated.isPresent() && stated.getAsInt() != slice.records()) {
      throw new CorruptObjectException(
          reader.what()
              + " states "
              + stated.getAsInt()
              + " records for every slice of batch "
              + k
              + "; one holds "
              + slice.records()
              + ".");
    }
  }

  /** The section in one piece, or in pieces that are read as they are asked for. */
  private static Iterable<RankSection> parts(BundleReader reader, BundleIndex index, int d, int c) {
    if (index.sectionLength(reader.bundle().mesh().index(d, c)) <= CHUNK_LENGTH) {
      return List.of(reader.section(d, c));
    }
    SectionTable table = Futures.await(reader.readTable(d, c));
    return () ->
        table.runs(CHUNK_LENGTH).stream()
            .map(run -> Futures.await(reader.read(table, run.fromTgb(), run.toTgb())))
            .iterator();
  }
}
