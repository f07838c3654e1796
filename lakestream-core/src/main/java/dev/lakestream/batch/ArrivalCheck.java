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
import dev.lakestream.store.ReadObserver;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.Function;
import java.util.zip.CRC32C;

/**
 * Checks the slices of a section while its bytes arrive. What it finds whole need not be checked
 * again; anything else, damage above all, is left for {@link SectionTable} and {@link RankSection}
 * to find and to report where it is asked for.
 */
final class ArrivalCheck implements ReadObserver {

  private final Function<ByteBuffer, SectionTable> decoder;
  private final int toTgb;
  private final BitSet whole = new BitSet();
  private final CRC32C crc = new CRC32C();

  /** The table as far as it has arrived; null: it was known before. */
  private final ByteBuffer head;

  /** Null: not known, not yet or because it is damaged. */
  private SectionTable table;

  /** Where in the section the next byte belongs. */
  private long at;

  /** The slice that it belongs to or that comes next. */
  private int tgb;

  private ArrivalCheck(
      Function<ByteBuffer, SectionTable> decoder, ByteBuffer head, SectionTable table, int toTgb) {
    this.decoder = decoder;
    this.head = head;
    this.table = table;
    this.toTgb = toTgb;
  }

  /**
   * For a section from its beginning on.
   *
   * @param decoder of its table
   */
  static ArrivalCheck ofSection(int tgbs, Function<ByteBuffer, SectionTable> decoder) {
    ByteBuffer head = ByteBuffer.allocate(BundleFormat.tableLength(tgbs));
    return new ArrivalCheck(decoder, head, null, tgbs);
  }

  /** For a part of a section that begins between two slices. */
  static ArrivalCheck ofPart(SectionTable table, int fromTgb, int toTgb, long offset) {
    ArrivalCheck check = new ArrivalCheck(null, null, table, toTgb);
    check.at = offset;
    check.tgb = fromTgb;
    while (check.tgb < toTgb && table.entry(check.tgb).offset() < offset) {
      check.tgb++;
    }
    return check;
  }

  @Override
  public void received(ByteBuffer piece) {
    ByteBuffer bytes = piece.duplicate();
    if (head != null && head.hasRemaining()) {
      head.put(next(bytes, head.remaining()));
      if (!head.hasRemaining()) {
        decode();
      }
    }
    while (table != null && tgb < toTgb && bytes.hasRemaining()) {
      Entry entry = table.entry(tgb);
      next(bytes, entry.offset() - at); // padding
      crc.update(next(bytes, entry.end() - Math.max(at, entry.offset())));
      if (at >= entry.end()) {
        whole.set(tgb++, (int) crc.getValue() == entry.crc());
        crc.reset();
      }
    }
  }

  /** The next {@code length} bytes, or as many of them as there are. */
  private ByteBuffer next(ByteBuffer bytes, long length) {
    int taken = (int) Math.max(0, Math.min(length, bytes.remaining()));
    ByteBuffer next = bytes.slice(bytes.position(), taken);
    bytes.position(bytes.position() + taken);
    at += taken;
    return next;
  }

  private void decode() {
    try {
      table = decoder.apply(head.slice(0, head.capacity()));
    } catch (CorruptObjectException damaged) {
      table = null; // Found again by whoever needs it.
    }
  }

  /** Null: not all of it has arrived, or it is damaged. */
  SectionTable table() {
    return table;
  }

  /** The TGBs whose slices are whole, counted within the bundle. */
  BitSet whole() {
    return whole;
  }
}
