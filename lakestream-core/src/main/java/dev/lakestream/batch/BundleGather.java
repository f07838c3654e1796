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
import dev.lakestream.batch.Ranges.Range;
import dev.lakestream.batch.Ranges.Read;
import dev.lakestream.store.ObjectStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Reads any slices of one bundle: those of several sections, of some of its steps. Ranges that lie
 * side by side in the object are one request, so that the sections of neighbouring ranks are.
 *
 * <p>Thread-safe; makes the same checks as the {@link BundleReader} that it stands on.
 */
public final class BundleGather {

  /** Bytes that are read rather than a request more made. */
  public static final int GAP = Ranges.GAP;

  private final ObjectStore store;
  private final BundleReader reader;

  public BundleGather(ObjectStore store, BundleReader reader) {
    this.store = store;
    this.reader = reader;
  }

  /**
   * One slice.
   *
   * @param section number {@code d * C + c}
   * @param tgb counted within the bundle
   */
  public record Wanted(int section, int tgb) {}

  /**
   * Where sections lie.
   *
   * @param offsets in the object, by section
   * @param lengths by section
   */
  public record Places(Map<Integer, Long> offsets, Map<Integer, Long> lengths) {

    /** Of all of them. */
    public long bytes() {
      return lengths.values().stream().mapToLong(Long::longValue).sum();
    }

    private Range range(int section) {
      return new Range(offsets.get(section), lengths.get(section));
    }
  }

  /** The footer; read once. */
  public CompletableFuture<BundleIndex> index() {
    return reader.index();
  }

  /** Where these sections lie: by the stride, or else by the footer, which is one request. */
  public CompletableFuture<Places> places(Collection<Integer> sections) {
    long stride = reader.bundle().sectionStride();
    if (stride != 0 || sections.isEmpty()) {
      Map<Integer, Long> offsets = new TreeMap<>();
      Map<Integer, Long> lengths = new TreeMap<>();
      for (int section : sections) {
        offsets.put(section, BundleFormat.HEADER_LENGTH + section * stride);
        lengths.put(section, stride);
      }
      return CompletableFuture.completedFuture(new Places(offsets, lengths));
    }
    return index()
        .thenApply(
            index -> {
              Map<Integer, Long> offsets = new TreeMap<>();
              Map<Integer, Long> lengths = new TreeMap<>();
              for (int section : sections) {
                offsets.put(section, index.sectionOffset(section));
                lengths.put(section, index.sectionLength(section));
              }
              return new Places(offsets, lengths);
            });
  }

  /** The tables of all sections in {@code places}. */
  public CompletableFuture<Map<Integer, SectionTable>> tables(Places places) {
    int length = BundleFormat.tableLength(reader.bundle().tgbCount());
    List<Range> ranges =
        places.offsets().values().stream().map(offset -> new Range(offset, length)).toList();
    return Ranges.read(store, reader.bundle().object(), ranges, BundleReader.MAX_RANGE)
        .thenApply(
            reads -> {
              Map<Integer, SectionTable> tables = new HashMap<>();
              for (int section : places.offsets().keySet()) {
                Range range = new Range(places.offsets().get(section), length);
                tables.put(section, decode(section, places, Ranges.view(reads, range)));
              }
              return tables;
            });
  }

  /** All sections in {@code places}, whole, together with their tables. */
  public CompletableFuture<Map<Integer, RankSection>> whole(Places places) {
    List<Range> ranges = places.offsets().keySet().stream().map(places::range).toList();
    return Ranges.read(store, reader.bundle().object(), ranges, BundleReader.MAX_RANGE)
        .thenApply(
            reads -> {
              Map<Integer, RankSection> sections = new HashMap<>();
              for (int section : places.offsets().keySet()) {
                ByteBuffer bytes = Ranges.view(reads, places.range(section));
                SectionTable table = decode(section, places, bytes);
                sections.put(
                    section,
                    new RankSection(
                        table,
                        0,
                        table.tgbCount(),
                        List.of(new RankSection.Part(0, bytes)),
                        name(section, places)));
              }
              return sections;
            });
  }

  /**
   * These slices; a slice without bytes makes no request.
   *
   * @param tables of all the sections that they lie in
   * @return by section; of it only the slices that were wanted can be taken
   */
  public CompletableFuture<Map<Integer, RankSection>> read(
      Places places, Map<Integer, SectionTable> tables, List<Wanted> wanted) {
    List<Range> ranges = ranges(places, tables, wanted);
    return Ranges.read(store, reader.bundle().object(), ranges, BundleReader.MAX_RANGE)
        .thenApply(reads -> sections(places, tables, wanted, reads));
  }

  /** The bytes that {@link #read} reads, those between two slices of one request included. */
  public long cost(Places places, Map<Integer, SectionTable> tables, List<Wanted> wanted) {
    return Ranges.merged(ranges(places, tables, wanted), BundleReader.MAX_RANGE).stream()
        .mapToLong(Range::length)
        .sum();
  }

  private static List<Range> ranges(
      Places places, Map<Integer, SectionTable> tables, List<Wanted> wanted) {
    List<Range> ranges = new ArrayList<>();
    for (Wanted one : wanted) {
      BundleFormat.Entry entry = tables.get(one.section()).entry(one.tgb());
      if (entry.storedLength() > 0) {
        ranges.add(
            new Range(places.offsets().get(one.section()) + entry.offset(), entry.storedLength()));
      }
    }
    return ranges;
  }

  private Map<Integer, RankSection> sections(
      Places places, Map<Integer, SectionTable> tables, List<Wanted> wanted, List<Read> reads) {
    Map<Integer, RankSection> sections = new HashMap<>();
    for (int section : new TreeSet<>(wanted.stream().map(Wanted::section).toList())) {
      long begin = places.offsets().get(section);
      long end = begin + places.lengths().get(section);
      List<RankSection.Part> parts = new ArrayList<>();
      for (Read read : reads) {
        long from = Math.max(begin, read.offset());
        long to = Math.min(end, read.end());
        if (from < to) {
          parts.add(
              new RankSection.Part(
                  from - begin,
                  read.bytes().slice((int) (from - read.offset()), (int) (to - from))));
        }
      }
      SectionTable table = tables.get(section);
      sections.put(
          section, new RankSection(table, 0, table.tgbCount(), parts, name(section, places)));
    }
    return sections;
  }

  private SectionTable decode(int section, Places places, ByteBuffer bytes) {
    int cp = reader.bundle().mesh().cp();
    return SectionTable.decode(
        bytes.slice().order(ByteOrder.LITTLE_ENDIAN),
        section / cp,
        section % cp,
        reader.bundle().tgbCount(),
        places.lengths().get(section),
        name(section, places));
  }

  private String name(int section, Places places) {
    int cp = reader.bundle().mesh().cp();
    return reader.name(
        new Place(
            section / cp,
            section % cp,
            places.offsets().get(section),
            places.lengths().get(section)));
  }
}
