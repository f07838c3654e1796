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

import dev.lakestream.batch.BundleReader.Place;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.ReadObserver;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Reads many sections of one bundle: neighbours by one range request, as sections follow one
 * another without gaps; the whole bundle, footer included, by one request in all.
 *
 * <p>Thread-safe; makes the same checks as the {@link BundleReader} that it stands on.
 */
public final class BundleScan {

  private final ObjectStore store;
  private final BundleReader reader;

  public BundleScan(ObjectStore store, BundleReader reader) {
    this.store = store;
    this.reader = reader;
  }

  /**
   * The footer and all sections, by rank.
   *
   * @param sections number {@code d * C + c} is that of slice (d, c)
   */
  public record Whole(BundleIndex index, List<RankSection> sections) {}

  public BundleReader reader() {
    return reader;
  }

  /** The bytes that {@link #readAll} asks for. */
  public long wholeLength() {
    return reader.bundle().objectLength() - BundleFormat.HEADER_LENGTH;
  }

  /** Everything by one request; for bundles that one buffer holds. */
  public CompletableFuture<Whole> readAll() {
    int slices = reader.bundle().mesh().slices();
    // Without a stride, the footer has to tell where the sections lie, and it comes last.
    boolean placed = reader.bundle().sectionStride() != 0;
    return store
        .readObserved(
            reader.bundle().object(),
            BundleFormat.HEADER_LENGTH,
            Math.toIntExact(wholeLength()),
            () -> new RunCheck(placed ? places(reader::placeByStride, 0, slices) : List.of()))
        .thenApply(
            read -> {
              ByteBuffer bytes = read.bytes();
              int footer = (int) (reader.bundle().footerOffset() - BundleFormat.HEADER_LENGTH);
              BundleIndex index =
                  reader.decodeIndex(bytes.slice(footer, bytes.remaining() - footer));
              RunCheck check = read.observer();
              if (!placed) {
                check = new RunCheck(places(r -> reader.place(index, r), 0, slices));
                check.received(bytes);
              }
              return new Whole(index, check.sections(bytes));
            });
  }

  /** The bytes of sections {@code fromRank} to {@code toRank}, exclusive. */
  public static long length(BundleIndex index, int fromRank, int toRank) {
    return index.sectionOffset(toRank) - index.sectionOffset(fromRank);
  }

  /**
   * Sections {@code fromRank} to {@code toRank}, exclusive.
   *
   * @param most bytes for one request; more are read by several at once, cut between sections, so
   *     that only a longer section goes beyond
   */
  public CompletableFuture<List<RankSection>> read(
      BundleIndex index, int fromRank, int toRank, long most) {
    List<CompletableFuture<List<RankSection>>> parts = new ArrayList<>();
    int from = fromRank;
    for (int to = fromRank + 1; to <= toRank; to++) {
      if (to == toRank || length(index, from, to + 1) > most) {
        parts.add(readRun(index, from, to));
        from = to;
      }
    }
    return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> parts.stream().flatMap(part -> part.join().stream()).toList());
  }

  private CompletableFuture<List<RankSection>> readRun(BundleIndex index, int from, int to) {
    long length = length(index, from, to);
    if (to - from == 1 && length > BundleReader.MAX_RANGE) {
      int cp = reader.bundle().mesh().cp();
      return reader.readSection(from / cp, from % cp).thenApply(List::of);
    }
    return store
        .readObserved(
            reader.bundle().object(),
            index.sectionOffset(from),
            Math.toIntExact(length),
            () -> new RunCheck(places(r -> reader.place(index, r), from, to)))
        .thenApply(read -> read.observer().sections(read.bytes()));
  }

  private static List<Place> places(IntFunction<Place> place, int from, int to) {
    return IntStream.range(from, to).mapToObj(place).toList();
  }

  /** Checks sections that follow one another; what comes after them is nothing to it. */
  private final class RunCheck implements ReadObserver {

    private final List<Place> places;
    private final List<ArrivalCheck> checks;

    /** Of which bytes arrive, and so many of them are still to come. */
    private int current;

    private long left;

    RunCheck(List<Place> places) {
      this.places = places;
      this.checks = places.stream().map(reader::arrivalCheck).toList();
      this.left = places.isEmpty() ? 0 : places.get(0).length();
    }

    @Override
    public void received(ByteBuffer piece) {
      ByteBuffer bytes = piece.duplicate();
      while (bytes.hasRemaining() && current < checks.size()) {
        int taken = (int) Math.min(left, bytes.remaining());
        checks.get(current).received(bytes.slice(bytes.position(), taken));
        bytes.position(bytes.position() + taken);
        left -= taken;
        if (left == 0 && ++current < places.size()) {
          left = places.get(current).length();
        }
      }
    }

    /** The sections, when all has arrived; {@code bytes} begin with the first one. */
    List<RankSection> sections(ByteBuffer bytes) {
      List<RankSection> sections = new ArrayList<>(places.size());
      int at = bytes.position();
      for (int i = 0; i < places.size(); i++) {
        int length = (int) places.get(i).length();
        sections.add(reader.section(places.get(i), bytes.slice(at, length), checks.get(i)));
        at += length;
      }
      return sections;
    }
  }
}
