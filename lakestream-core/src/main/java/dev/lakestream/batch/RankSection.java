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
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;

/**
 * The slices of one rank for consecutive TGBs of a bundle, as they were read. A slice is verified
 * (unless it was found whole when it arrived) and decompressed when it is asked for, on the
 * caller's thread; an uncompressed one is a view that keeps the bytes of its neighbours alive.
 * Thread-safe.
 */
public final class RankSection {

  private final SectionTable table;
  private final int fromTgb;
  private final int toTgb;
  private final List<Part> parts;
  private final String what;
  private final BitSet whole;

  /**
   * Some bytes of the section.
   *
   * @param offset in the section
   */
  record Part(long offset, ByteBuffer bytes) {

    boolean holds(Entry entry) {
      return entry.offset() >= offset && entry.end() <= offset + bytes.remaining();
    }
  }

  RankSection(SectionTable table, int fromTgb, int toTgb, List<Part> parts, String what) {
    this(table, fromTgb, toTgb, parts, new BitSet(), what);
  }

  /**
   * @param whole the TGBs whose slices need not be verified, counted within the bundle
   */
  RankSection(
      SectionTable table, int fromTgb, int toTgb, List<Part> parts, BitSet whole, String what) {
    this.table = table;
    this.fromTgb = fromTgb;
    this.toTgb = toTgb;
    this.parts = parts;
    this.whole = whole;
    this.what = what;
  }

  /** Spares the next read of another part of this section its table. */
  public SectionTable table() {
    return table;
  }

  /** The first TGB that it holds, counted within the bundle. */
  public int fromTgb() {
    return fromTgb;
  }

  /** One past the last TGB that it holds, counted within the bundle. */
  public int toTgb() {
    return toTgb;
  }

  /**
   * The slice of TGB {@code tgb} of the bundle ({@link #fromTgb} to {@link #toTgb}, exclusive).
   *
   * @throws CorruptObjectException if its bytes are not those that were written
   */
  public Slice slice(int tgb) {
    if (tgb < fromTgb || tgb >= toTgb) {
      throw new IndexOutOfBoundsException(
          "Batch " + tgb + " of " + what + " was not read; " + fromTgb + " to " + toTgb + " were.");
    }
    Entry entry = table.entry(tgb);
    return whole.get(tgb)
        ? SliceDecoder.decodeVerified(stored(entry), entry, name(tgb))
        : SliceDecoder.decode(stored(entry), entry, name(tgb));
  }

  /** Whether none of these slices needs to be verified any more. */
  boolean isWhole(int from, int to) {
    return whole.nextClearBit(from) >= to;
  }

  private ByteBuffer stored(Entry entry) {
    if (entry.storedLength() == 0) {
      return ByteBuffer.allocate(0);
    }
    Part part = part(entry);
    return part.bytes().slice((int) (entry.offset() - part.offset()), (int) entry.storedLength());
  }

  private String name(int tgb) {
    return "The slice of batch " + tgb + " in " + what;
  }

  /** Checks the bytes between slices, which no CRC covers and no reader uses. */
  void checkPadding() {
    for (int tgb = fromTgb; tgb < toTgb; tgb++) {
      Entry entry = table.entry(tgb);
      for (long at = entry.end(); at < BundleFormat.aligned(entry.end()); at++) {
        Part part = part(entry);
        if (part.bytes().get((int) (at - part.offset())) != 0) {
          throw new CorruptObjectException(
              what
                  + " is damaged: byte "
                  + at
                  + ", after the slice of batch "
                  + tgb
                  + ", is not 0.");
        }
      }
    }
  }

  private Part part(Entry entry) {
    for (Part part : parts) {
      if (part.holds(entry)) {
        return part;
      }
    }
    throw new IllegalStateException(entry + " lies in no part read of " + what + ".");
  }
}
