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

import dev.lakestream.batch.BundleFormat.Entry;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the slices of one rank lie in its section of a bundle. Verified whole when it is made:
 * every entry lies where the format puts it, so that no later read can leave the section. 40 bytes
 * a step; worth keeping by whoever reads a section in parts.
 */
public final class SectionTable {

  private final int d;
  private final int c;
  private final List<Entry> entries;

  private SectionTable(int d, int c, List<Entry> entries) {
    this.d = d;
    this.c = c;
    this.entries = entries;
  }

  /**
   * @param section little-endian; begins where the section begins and holds its table at least
   * @param length of the whole section
   */
  static SectionTable decode(
      ByteBuffer section, int d, int c, int tgbCount, long length, String what) {
    int tableLength = BundleFormat.tableLength(tgbCount);
    int foundD = section.getInt(4);
    int foundC = section.getInt(8);
    int foundCount = section.getInt(12);
    if (foundD != d || foundC != c || foundCount != tgbCount) {
      throw new CorruptObjectException(
          what
              + " is damaged or not where it was described: it states slice ("
              + foundD
              + ", "
              + foundC
              + ") of "
              + foundCount
              + " batches and should be slice ("
              + d
              + ", "
              + c
              + ") of "
              + tgbCount
              + ".");
    }
    Frame.checkCrc(section.slice(4, tableLength - 4), section.getInt(0), "The table of " + what);
    List<Entry> entries = new ArrayList<>(tgbCount);
    long end = tableLength;
    for (int k = 0; k < tgbCount; k++) {
      int at = BundleFormat.SECTION_HEADER_LENGTH + k * BundleFormat.ENTRY_LENGTH;
      Entry entry = Entry.at(section, at, what);
      if (entry.offset() != end || !isPossible(entry, length)) {
        throw new CorruptObjectException(
            what
                + " has "
                + length
                + " bytes, and its table an impossible entry for batch "
                + k
                + ", whose slice begins at "
                + end
                + ": "
                + entry
                + ".");
      }
      entries.add(entry);
      end = BundleFormat.aligned(entry.end());
    }
    if (end != length) {
      throw new CorruptObjectException(
          what + " has " + length + " bytes, and slices up to " + end + ".");
    }
    return new SectionTable(d, c, entries);
  }

  private static boolean isPossible(Entry entry, long sectionLength) {
    return entry.storedLength() >= 0
        && entry.storedLength() <= BundleFormat.MAX_SLICE_LENGTH
        && entry.storedLength() <= sectionLength - entry.offset()
        && entry.rawLength() >= entry.storedLength()
        && entry.rawLength() <= BundleFormat.MAX_SLICE_LENGTH
        && (entry.compression() == Compression.NONE
            ? entry.rawLength() == entry.storedLength()
            : entry.storedLength() > 0)
        && entry.records() >= 0;
  }

  /** The DP replica whose section it is. */
  public int d() {
    return d;
  }

  /** The CP rank whose section it is. */
  public int c() {
    return c;
  }

  /** K. */
  public int tgbCount() {
    return entries.size();
  }

  /** The length of the slice as it is stored, in bytes: what reading it moves. */
  public long storedBytes(int tgb) {
    return entry(tgb).storedLength();
  }

  /** The length of the slice after decompression, in bytes. */
  public long rawBytes(int tgb) {
    return entry(tgb).rawLength();
  }

  /** How the slice is stored. */
  public Compression compression(int tgb) {
    return entry(tgb).compression();
  }

  public int records(int tgb) {
    return entry(tgb).records();
  }

  /** What a table of so many slices takes, in bytes. */
  public static int length(int tgbCount) {
    return BundleFormat.tableLength(tgbCount);
  }

  Entry entry(int tgb) {
    return entries.get(tgb);
  }

  /** A part of a section, as a range that one request reads. */
  record Range(long offset, int length) {}

  /**
   * The ranges, in order, that hold the stored bytes of these slices and their padding: as few as
   * there can be of at most {@code most} bytes (a slice is never cut), and none where there are no
   * bytes.
   */
  List<Range> ranges(int fromTgb, int toTgb, int most) {
    List<Range> ranges = new ArrayList<>();
    long begin = 0;
    long end = 0;
    for (Entry entry : entries.subList(fromTgb, toTgb)) {
      if (entry.storedLength() == 0) {
        continue;
      }
      long entryEnd = BundleFormat.aligned(entry.end());
      if (end > begin && entryEnd - begin > most) {
        ranges.add(new Range(begin, (int) (end - begin)));
        end = begin;
      }
      begin = end > begin ? begin : entry.offset();
      end = entryEnd;
    }
    if (end > begin) {
      ranges.add(new Range(begin, (int) (end - begin)));
    }
    return ranges;
  }

  /** Consecutive TGBs. */
  record Run(int fromTgb, int toTgb) {}

  /** All TGBs, in runs that hold at most {@code most} stored bytes or one slice. */
  List<Run> runs(int most) {
    List<Run> runs = new ArrayList<>();
    int from = 0;
    for (int to = 1; to <= entries.size(); to++) {
      if (to == entries.size() || entries.get(to).end() - entries.get(from).offset() > most) {
        runs.add(new Run(from, to));
        from = to;
      }
    }
    return runs;
  }
}
