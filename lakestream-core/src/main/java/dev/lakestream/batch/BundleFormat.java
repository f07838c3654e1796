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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The numbers of the bundle format, version 1, and the codec of its smallest parts; {@code
 * docs/format.md} is the specification. All integers are little-endian.
 *
 * <pre>
 * object  = ["LKSB"][u32 version] section* footer [u32 footer length][u32 CRC32C of the footer][u32 version]["LKSB"]
 * section = [u32 CRC32C of what follows, up to the data][u32 d][u32 c][u32 K] entry{K} (slice, zeros up to 8){K}
 * entry   = [u64 offset in the section][u64 stored][u64 raw][u32 records][u32 CRC32C][u8 compression][7 zeros]
 * </pre>
 */
final class BundleFormat {

  static final String MAGIC = "LKSB";
  static final int VERSION = 1;
  static final int HEADER_LENGTH = Frame.HEADER_LENGTH;
  static final int TRAILER_LENGTH = 16;
  static final int SECTION_HEADER_LENGTH = 16;
  static final int ENTRY_LENGTH = 40;

  /** Every section and every slice begins at a multiple of it, so that readers need not realign. */
  static final int ALIGNMENT = 8;

  /** K at most. */
  static final int MAX_TGBS = 1 << 16;

  /** Of the footer message: bounds what a reader allocates for it. */
  static final int MAX_FOOTER_LENGTH = 16 << 20;

  /** Of one slice, raw or stored: what one Java array holds, with some room. */
  static final int MAX_SLICE_LENGTH = Integer.MAX_VALUE - 1024;

  private BundleFormat() {}

  /** Header and table of a section of so many TGBs; its data begins there. */
  static int tableLength(int tgbCount) {
    return SECTION_HEADER_LENGTH + ENTRY_LENGTH * tgbCount;
  }

  /** The next multiple of {@link #ALIGNMENT}. */
  static long aligned(long offset) {
    return (offset + ALIGNMENT - 1) & -ALIGNMENT;
  }

  static ByteBuffer header() {
    ByteBuffer out = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putHeader(out, MAGIC, VERSION);
    return out.flip();
  }

  static void putTrailer(ByteBuffer out, ByteBuffer footer) {
    out.putInt(footer.remaining());
    out.putInt(Frame.crc32c(footer));
    out.putInt(VERSION);
    out.put(Frame.magicBytes(MAGIC));
  }

  /**
   * The footer message out of the end of an object.
   *
   * @param end little-endian; ends where the object ends
   */
  static ByteBuffer footer(ByteBuffer end, String what) {
    int length = footerLength(end, what);
    if (length > end.remaining() - TRAILER_LENGTH) {
      throw new CorruptObjectException(
          what
              + " states a footer of "
              + length
              + " bytes where there is room for "
              + (end.remaining() - TRAILER_LENGTH)
              + ".");
    }
    int trailer = end.limit() - TRAILER_LENGTH;
    ByteBuffer footer = end.slice(trailer - length, length);
    Frame.checkCrc(footer, end.getInt(trailer + 4), "The footer of " + what);
    return footer;
  }

  /** The length of the footer message, as the trailer at the end of {@code end} states it. */
  static int footerLength(ByteBuffer end, String what) {
    if (end.remaining() < TRAILER_LENGTH) {
      throw new CorruptObjectException(
          what + " is too short for a bundle: " + end.remaining() + " bytes.");
    }
    ByteBuffer trailer =
        end.slice(end.limit() - TRAILER_LENGTH, TRAILER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    Frame.checkMagic(trailer, TRAILER_LENGTH - Frame.MAGIC_LENGTH, MAGIC, what);
    Frame.checkVersion(trailer.getInt(8), VERSION, what);
    int length = trailer.getInt(0);
    if (length < 0 || length > MAX_FOOTER_LENGTH) {
      throw new CorruptObjectException(
          what
              + " states a footer of "
              + Integer.toUnsignedString(length)
              + " bytes; the limit is "
              + MAX_FOOTER_LENGTH
              + ".");
    }
    return length;
  }

  /**
   * One slice in the table of its section.
   *
   * @param offset of the stored bytes, from the start of the section
   * @param storedLength in bytes
   * @param rawLength after decompression, in bytes
   * @param crc CRC32C of the stored bytes
   */
  record Entry(
      long offset,
      long storedLength,
      long rawLength,
      int records,
      int crc,
      Compression compression) {

    void putTo(ByteBuffer out) {
      out.putLong(offset).putLong(storedLength).putLong(rawLength);
      out.putInt(records).putInt(crc);
      out.putLong(compression.code());
    }

    /** The entry at {@code at} of a little-endian buffer; not checked against its section. */
    static Entry at(ByteBuffer in, int at, String what) {
      return new Entry(
          in.getLong(at),
          in.getLong(at + 8),
          in.getLong(at + 16),
          in.getInt(at + 24),
          in.getInt(at + 28),
          Compression.ofCode(in.get(at + 32), what));
    }

    long end() {
      return offset + storedLength;
    }
  }
}
