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

import dev.lakestream.batch.SectionTable.Range;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.ReadObserver.Observed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reads one bundle by range. A rank's slices for all K steps are one range request: after the
 * footer, which is read once for all sections, or without it where the descriptor states a stride.
 *
 * <p>What it assumes, and what answers when that is not so: the object never changes, since every
 * write of a bundle has a name of its own; bytes that are not those which the descriptor stands for
 * end in a {@link CorruptObjectException} that names the object and both values, as no length is
 * believed before it was checked. An object that is gone or too short, and every fault of the
 * store, is that store's {@link dev.lakestream.store.StoreException}. Nothing is retried here.
 *
 * <p>Thread-safe. Futures complete on threads of the store.
 */
public final class BundleReader {

  /** What opening without a descriptor reads at first: the footer of most bundles. */
  private static final int SUFFIX_LENGTH = 64 << 10;

  /** The most that one request asks for; a section that is longer takes several. */
  static final int MAX_RANGE = Integer.MAX_VALUE - 1024;

  private final ObjectStore store;
  private final UUID streamId;
  private final StagedBundle bundle;
  private final String what;
  private final int maxRange;
  private final AtomicReference<CompletableFuture<BundleIndex>> index = new AtomicReference<>();

  /** Where a section lies in the object. */
  record Place(int d, int c, long offset, long length) {}

  BundleReader(ObjectStore store, UUID streamId, StagedBundle bundle, int maxRange) {
    this.store = store;
    this.streamId = streamId;
    this.bundle = bundle;
    this.what = name(store, bundle.object());
    this.maxRange = maxRange;
    checkDescriptor(bundle, what);
  }

  /**
   * The bundle that a descriptor stands for. Makes no request yet.
   *
   * @param streamId whose bundle it should be
   * @throws CorruptObjectException if the numbers of the descriptor contradict each other
   */
  public static BundleReader of(ObjectStore store, UUID streamId, StagedBundle bundle) {
    return new BundleReader(store, streamId, bundle, MAX_RANGE);
  }

  /**
   * Opens an object of which nothing but the name is known, by its end; for inspection. Whose it is
   * and what shape it has is what {@link #index} then says.
   */
  public static CompletableFuture<BundleReader> open(ObjectStore store, String object) {
    String what = name(store, object);
    return store
        .readSuffix(object, SUFFIX_LENGTH)
        .thenCompose(
            suffix -> {
              ByteBuffer end = suffix.bytes().slice().order(ByteOrder.LITTLE_ENDIAN);
              int footerLength = BundleFormat.footerLength(end, what);
              int endLength = footerLength + BundleFormat.TRAILER_LENGTH;
              long endOffset = suffix.objectLength() - endLength;
              if (endOffset < BundleFormat.HEADER_LENGTH) {
                throw new CorruptObjectException(
                    what
                        + " has "
                        + suffix.objectLength()
                        + " bytes and states a footer of "
                        + footerLength
                        + ".");
              }
              CompletableFuture<ByteBuffer> whole =
                  endLength <= end.remaining()
                      ? CompletableFuture.completedFuture(end)
                      : store.read(object, endOffset, endLength);
              return whole.thenApply(bytes -> opened(store, object, bytes, endOffset, what));
            });
  }

  private static BundleReader opened(
      ObjectStore store, String object, ByteBuffer end, long footerOffset, String what) {
    ByteBuffer footer = BundleFormat.footer(end.order(ByteOrder.LITTLE_ENDIAN), what);
    BundleIndex index = BundleIndex.decode(footer, footerOffset, what);
    BundleReader reader = of(store, index.streamId(), index.staged(object, footer.remaining()));
    reader.index.set(CompletableFuture.completedFuture(index));
    return reader;
  }

  private static String name(ObjectStore store, String object) {
    return object + " in " + store.address();
  }

  private static void checkDescriptor(StagedBundle bundle, String what) {
    if (bundle.tgbCount() < 1 || bundle.tgbCount() > BundleFormat.MAX_TGBS) {
      throw new CorruptObjectException(
          what
              + " is described with "
              + bundle.tgbCount()
              + " batches; 1 to "
              + BundleFormat.MAX_TGBS
              + " are possible.");
    }
    long stride = bundle.sectionStride();
    long sections = bundle.footerOffset() - BundleFormat.HEADER_LENGTH;
    int slices = bundle.mesh().slices();
    if (bundle.footerLength() < 0
        || bundle.footerLength() > BundleFormat.MAX_FOOTER_LENGTH
        || sections < (long) slices * BundleFormat.tableLength(bundle.tgbCount())
        || bundle.objectLength() - BundleFormat.TRAILER_LENGTH - bundle.footerLength()
            != bundle.footerOffset()
        || (stride != 0 && (sections % slices != 0 || sections / slices != stride))) {
      throw new CorruptObjectException(
          what + " is described with numbers that contradict each other: " + bundle + ".");
    }
  }

  /** The descriptor; without attributes if it was made from the object itself. */
  public StagedBundle bundle() {
    return bundle;
  }

  /** Names the object in errors. */
  String what() {
    return what;
  }

  /** The footer, verified against the descriptor; read once. */
  public CompletableFuture<BundleIndex> index() {
    CompletableFuture<BundleIndex> known = index.get();
    if (known != null && !known.isCompletedExceptionally()) {
      return known.copy();
    }
    CompletableFuture<BundleIndex> fresh = new CompletableFuture<>();
    if (!index.compareAndSet(known, fresh)) {
      return index(); // Someone else has just begun to read it.
    }
    int length = bundle.footerLength() + BundleFormat.TRAILER_LENGTH;
    // Callers hold copies: should one of them cancel, the others still get their answer.
    var unused =
        store
            .read(bundle.object(), bundle.footerOffset(), length)
            .thenApply(this::decodeIndex)
            .whenComplete(
                (found, failure) -> {
                  if (failure == null) {
                    fresh.complete(found);
                  } else {
                    fresh.completeExceptionally(failure);
                  }
                });
    return fresh.copy();
  }

  BundleIndex decodeIndex(ByteBuffer end) {
    ByteBuffer footer = BundleFormat.footer(end.order(ByteOrder.LITTLE_ENDIAN), what);
    if (footer.remaining() != bundle.footerLength()) {
      throw new CorruptObjectException(
          what
              + " has a footer of "
              + footer.remaining()
              + " bytes and was described with one of "
              + bundle.footerLength()
              + ".");
    }
    BundleIndex found = BundleIndex.decode(footer, bundle.footerOffset(), what);
    found.checkAgainst(streamId, bundle, what);
    return found;
  }

  /** What {@link #readSection} would read, in bytes; by the footer, unless there is a stride. */
  public CompletableFuture<Long> sectionLength(int d, int c) {
    return place(d, c).thenApply(Place::length);
  }

  /** All slices (d, c) of the bundle; one range request where a buffer can hold the section. */
  public CompletableFuture<RankSection> readSection(int d, int c) {
    return place(d, c).thenCompose(this::readWhole);
  }

  /** {@link #readSection}, waiting for it. */
  public RankSection section(int d, int c) {
    return Futures.await(readSection(d, c));
  }

  /**
   * The slices (d, c) of TGBs {@code fromTgb} (inclusive) to {@code toTgb} (exclusive) of the
   * bundle: one request for the table and one for the data, or {@link #readSection} if that is all
   * of them.
   */
  public CompletableFuture<RankSection> read(int d, int c, int fromTgb, int toTgb) {
    checkSteps(fromTgb, toTgb);
    return fromTgb == 0 && toTgb == bundle.tgbCount()
        ? readSection(d, c)
        : readTable(d, c).thenCompose(table -> read(table, fromTgb, toTgb));
  }

  /**
   * As above with a table that is known already: one request for the data; none if there is none.
   */
  public CompletableFuture<RankSection> read(SectionTable table, int fromTgb, int toTgb) {
    checkSteps(fromTgb, toTgb);
    return place(table.d(), table.c())
        .thenCompose(place -> readParts(place, table, fromTgb, toTgb));
  }

  /**
   * Some stored bytes of one slice, as they come: the CRC of the table covers the whole slice, so
   * whoever reads a part of it needs another one.
   *
   * @param offset counted from the beginning of the slice
   */
  public CompletableFuture<ByteBuffer> readBytes(
      SectionTable table, int tgb, long offset, int length) {
    BundleFormat.Entry entry = table.entry(tgb);
    if (offset < 0 || length < 0 || offset > entry.storedLength() - length) {
      throw new IndexOutOfBoundsException(
          "Bytes " + offset + " to " + (offset + length) + " are not in " + entry + ".");
    }
    return place(table.d(), table.c())
        .thenCompose(
            place -> store.read(bundle.object(), place.offset() + entry.offset() + offset, length));
  }

  /** The table of the section of slice (d, c). */
  public CompletableFuture<SectionTable> readTable(int d, int c) {
    return place(d, c).thenCompose(this::readTable);
  }

  private CompletableFuture<SectionTable> readTable(Place place) {
    return store
        .read(bundle.object(), place.offset(), BundleFormat.tableLength(bundle.tgbCount()))
        .thenApply(bytes -> decodeTable(bytes, place));
  }

  private CompletableFuture<RankSection> readWhole(Place place) {
    int tgbs = bundle.tgbCount();
    if (place.length() > maxRange) {
      return readTable(place).thenCompose(table -> readParts(place, table, 0, tgbs));
    }
    return store
        .readObserved(
            bundle.object(), place.offset(), (int) place.length(), () -> arrivalCheck(place))
        .thenApply(read -> section(place, read.bytes(), read.observer()));
  }

  ArrivalCheck arrivalCheck(Place place) {
    return ArrivalCheck.ofSection(bundle.tgbCount(), head -> decodeTable(head, place));
  }

  /** The section that is at a place, as it has arrived. */
  RankSection section(Place place, ByteBuffer bytes, ArrivalCheck check) {
    SectionTable table = check.table() == null ? decodeTable(bytes, place) : check.table();
    List<RankSection.Part> parts = List.of(new RankSection.Part(0, bytes));
    return new RankSection(table, 0, bundle.tgbCount(), parts, check.whole(), name(place));
  }

  private CompletableFuture<RankSection> readParts(
      Place place, SectionTable table, int fromTgb, int toTgb) {
    List<Range> ranges = table.ranges(fromTgb, toTgb, maxRange);
    List<CompletableFuture<Observed<ArrivalCheck>>> reads = new ArrayList<>();
    for (Range range : ranges) {
      reads.add(
          store.readObserved(
              bundle.object(),
              place.offset() + range.offset(),
              range.length(),
              () -> ArrivalCheck.ofPart(table, fromTgb, toTgb, range.offset())));
    }
    return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all -> {
              List<RankSection.Part> parts = new ArrayList<>();
              BitSet whole = new BitSet();
              for (int i = 0; i < ranges.size(); i++) {
                Observed<ArrivalCheck> read = reads.get(i).join();
                parts.add(new RankSection.Part(ranges.get(i).offset(), read.bytes()));
                whole.or(read.observer().whole());
              }
              return new RankSection(table, fromTgb, toTgb, parts, whole, name(place));
            });
  }

  private SectionTable decodeTable(ByteBuffer bytes, Place place) {
    return SectionTable.decode(
        bytes.slice().order(ByteOrder.LITTLE_ENDIAN),
        place.d(),
        place.c(),
        bundle.tgbCount(),
        place.length(),
        name(place));
  }

  /** Where section (d, c) lies: by the stride, or else by the footer. */
  private CompletableFuture<Place> place(int d, int c) {
    int r = bundle.mesh().index(d, c);
    return bundle.sectionStride() == 0
        ? index().thenApply(found -> place(found, r))
        : CompletableFuture.completedFuture(placeByStride(r));
  }

  Place place(BundleIndex index, int r) {
    int cp = bundle.mesh().cp();
    return new Place(r / cp, r % cp, index.sectionOffset(r), index.sectionLength(r));
  }

  Place placeByStride(int r) {
    int cp = bundle.mesh().cp();
    long stride = bundle.sectionStride();
    return new Place(r / cp, r % cp, BundleFormat.HEADER_LENGTH + r * stride, stride);
  }

  /** Names a section in errors. */
  String name(Place place) {
    return "Section ("
        + place.d()
        + ", "
        + place.c()
        + "), bytes "
        + place.offset()
        + " to "
        + (place.offset() + place.length() - 1)
        + " of "
        + what;
  }

  private void checkSteps(int fromTgb, int toTgb) {
    if (fromTgb < 0 || fromTgb > toTgb || toTgb > bundle.tgbCount()) {
      throw new IndexOutOfBoundsException(
          what
              + " holds batches 0 to "
              + bundle.tgbCount()
              + "; there are no "
              + fromTgb
              + " to "
              + toTgb
              + ".");
    }
  }
}
