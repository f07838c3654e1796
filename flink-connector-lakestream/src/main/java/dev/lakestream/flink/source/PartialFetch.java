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

import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.SectionTable;
import dev.lakestream.batch.Slice;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fetches of large slices what a projection wants: the end, which says where things lie, and then
 * the ranges, neighbours together. A slice that does not say, is compressed, or is wanted by half
 * is fetched whole. A reader whose slices are like that several times in a row gives it up, so as
 * not to ask for the ends in vain.
 */
final class PartialFetch {

  /** Below that a request costs more than it spares. */
  private static final long LEAST_SLICE = 1 << 20;

  /** The end of most slices. */
  private static final int END = 16 << 10;

  /** So many bytes that nobody wants are read rather than a request more made. */
  private static final int GAP = 64 << 10;

  private static final int MOST_MISSES = 8;

  private final SliceProjection<?> projection;
  private final AtomicInteger misses = new AtomicInteger();

  PartialFetch(SliceProjection<?> projection) {
    this.projection = projection;
  }

  /** One of the two. */
  record Fetched(Slice slice, SliceProjection.Parts parts) {
    long bytes() {
      return parts == null ? slice.bytes().remaining() : parts.bytes();
    }
  }

  /** Of some ranks, in their order, the TGBs from {@code fromTgb} on. */
  record Content(BundleIndex index, int fromTgb, List<List<Fetched>> ranks)
      implements SplitFetch.SliceSource {
    @Override
    public Slice slice(int rankIndex, int tgb) {
      return ranks.get(rankIndex).get(tgb - fromTgb).slice();
    }

    @Override
    public SliceProjection.Parts parts(int rankIndex, int tgb) {
      return ranks.get(rankIndex).get(tgb - fromTgb).parts();
    }

    @Override
    public long bytes(long planned) {
      return ranks.stream().flatMap(List::stream).mapToLong(Fetched::bytes).sum();
    }
  }

  /** Whether slices of this length, on average, are fetched so. */
  boolean wants(long sliceBytes) {
    return sliceBytes >= LEAST_SLICE && misses.get() < MOST_MISSES;
  }

  /** The slices of some TGBs of a section. */
  CompletableFuture<List<Fetched>> read(
      BundleReader reader, SectionTable table, int fromTgb, int toTgb) {
    List<CompletableFuture<Fetched>> slices = new ArrayList<>();
    for (int tgb = fromTgb; tgb < toTgb; tgb++) {
      slices.add(new OneSlice(reader, table, tgb).read());
    }
    return SplitFetch.all(slices);
  }

  private final class OneSlice {
    private final BundleReader reader;
    private final SectionTable table;
    private final int tgb;
    private final long length;

    OneSlice(BundleReader reader, SectionTable table, int tgb) {
      this.reader = reader;
      this.table = table;
      this.tgb = tgb;
      this.length = table.storedBytes(tgb);
    }

    CompletableFuture<Fetched> read() {
      if (table.compression(tgb) != Compression.NONE) {
        misses.incrementAndGet();
        return whole();
      }
      return wants(length) ? end(Math.min(length, END)).thenCompose(this::parts) : whole();
    }

    private CompletableFuture<Fetched> whole() {
      return reader
          .read(table, tgb, tgb + 1)
          .thenApply(section -> new Fetched(section.slice(tgb), null));
    }

    private CompletableFuture<ByteBuffer> end(long bytes) {
      return reader.readBytes(table, tgb, length - bytes, (int) bytes);
    }

    private CompletableFuture<Fetched> parts(ByteBuffer last) {
      long needed = projection.endLength(last);
      if (needed <= 0 || needed > length / 2) {
        misses.incrementAndGet();
        return whole();
      }
      return needed <= last.remaining()
          ? ranges(last.slice(last.limit() - (int) needed, (int) needed))
          : end(needed).thenCompose(this::ranges);
    }

    private CompletableFuture<Fetched> ranges(ByteBuffer end) {
      List<SliceProjection.Range> wanted = projection.wanted(end, what(0, length));
      long bytes = wanted.stream().mapToLong(SliceProjection.Range::length).sum();
      if (bytes > length / 2) {
        misses.incrementAndGet();
        return whole();
      }
      misses.set(0);
      List<CompletableFuture<List<ByteBuffer>>> runs = new ArrayList<>();
      int from = 0;
      for (int to = 1; to <= wanted.size(); to++) {
        if (to == wanted.size() || wanted.get(to).offset() - endOf(wanted.get(to - 1)) > GAP) {
          runs.add(run(wanted.subList(from, to)));
          from = to;
        }
      }
      return SplitFetch.all(runs)
          .thenApply(
              lists ->
                  new Fetched(
                      new Slice(ByteBuffer.allocate(0), table.records(tgb)),
                      new SliceProjection.Parts(
                          end, lists.stream().flatMap(List::stream).toList())));
    }

    private long endOf(SliceProjection.Range range) {
      return range.offset() + range.length();
    }

    private CompletableFuture<List<ByteBuffer>> run(List<SliceProjection.Range> ranges) {
      long from = ranges.get(0).offset();
      int bytes = Math.toIntExact(endOf(ranges.get(ranges.size() - 1)) - from);
      return reader
          .readBytes(table, tgb, from, bytes)
          .thenApply(read -> ranges.stream().map(range -> verified(read, from, range)).toList());
    }

    private ByteBuffer verified(ByteBuffer read, long from, SliceProjection.Range range) {
      ByteBuffer bytes = read.slice((int) (range.offset() - from), range.length());
      Frame.checkCrc(bytes, range.crc(), what(range.offset(), range.length()));
      return bytes;
    }

    private String what(long offset, long bytes) {
      return "Bytes %d to %d of slice (%d, %d) of batch %d of %s"
          .formatted(
              offset, offset + bytes - 1, table.d(), table.c(), tgb, reader.bundle().object());
    }
  }
}
