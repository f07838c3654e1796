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

import dev.lakestream.store.ObjectStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

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
    return store
        .read(reader.bundle().object(), BundleFormat.HEADER_LENGTH, Math.toIntExact(wholeLength()))
        .thenApply(
            bytes -> {
              int footer = (int) (reader.bundle().footerOffset() - BundleFormat.HEADER_LENGTH);
              BundleIndex index =
                  reader.decodeIndex(bytes.slice(footer, bytes.remaining() - footer));
              return new Whole(index, sections(index, 0, reader.bundle().mesh().slices(), bytes));
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
   * @param received sees each section as soon as its request has been answered, while its bytes are
   *     in the caches of the processor; it does not wait for the others
   */
  public CompletableFuture<List<RankSection>> read(
      BundleIndex index, int fromRank, int toRank, long most, UnaryOperator<RankSection> received) {
    List<CompletableFuture<List<RankSection>>> parts = new ArrayList<>();
    int from = fromRank;
    for (int to = fromRank + 1; to <= toRank; to++) {
      if (to == toRank || length(index, from, to + 1) > most) {
        parts.add(
            readRun(index, from, to)
                .thenApply(sections -> sections.stream().map(received).toList()));
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
        .read(reader.bundle().object(), index.sectionOffset(from), Math.toIntExact(length))
        .thenApply(bytes -> sections(index, from, to, bytes));
  }

  private List<RankSection> sections(BundleIndex index, int from, int to, ByteBuffer bytes) {
    List<RankSection> sections = new ArrayList<>(to - from);
    for (int r = from; r < to; r++) {
      int offset = (int) length(index, from, r);
      sections.add(section(index, r, bytes.slice(offset, (int) index.sectionLength(r))));
    }
    return sections;
  }

  private RankSection section(BundleIndex index, int r, ByteBuffer bytes) {
    int tgbs = reader.bundle().tgbCount();
    int cp = reader.bundle().mesh().cp();
    String name = reader.sectionName(r / cp, r % cp, index.sectionOffset(r), bytes.remaining());
    SectionTable table =
        SectionTable.decode(
            bytes.slice().order(ByteOrder.LITTLE_ENDIAN),
            r / cp,
            r % cp,
            tgbs,
            bytes.remaining(),
            name);
    return new RankSection(table, 0, tgbs, List.of(new RankSection.Part(0, bytes)), name);
  }
}
