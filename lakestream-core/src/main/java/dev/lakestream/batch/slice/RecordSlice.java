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
package dev.lakestream.batch.slice;

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/**
 * A slice of opaque records, in the slice format {@code records}: {@code [record 0]…[record n-1]
 * [u32 end]*n [u32 n][u32 version]["LKRS"]}, little-endian. {@code end[i]} is the offset behind
 * record i from the start of the slice, so that record i, or any range of neighbouring records, is
 * found from the end of the slice without reading the others.
 *
 * <p>Decoding allocates nothing that grows with what the bytes claim: the views are made when they
 * are asked for.
 */
public final class RecordSlice {

  static final String MAGIC = "LKRS";
  static final int VERSION = 1;
  private static final int TRAILER_LENGTH = 4 + 4 + Frame.MAGIC_LENGTH;

  /** A slice takes so many bytes at most here, where it is one buffer; the format ends at 4 GiB. */
  private static final long MAX_LENGTH = Integer.MAX_VALUE - 8;

  private final ByteBuffer bytes;
  private final int count;
  private final int endsAt;

  private RecordSlice(ByteBuffer bytes, int count, int endsAt) {
    this.bytes = bytes;
    this.count = count;
    this.endsAt = endsAt;
  }

  /**
   * The slice that holds {@code records}, in their order; empty for none. Copies each record once
   * and does not move the buffers.
   *
   * @throws InvalidBatchException if a record is null, or if they are too large for one slice
   */
  public static ByteBuffer encode(List<ByteBuffer> records) {
    if (records.isEmpty()) {
      return ByteBuffer.allocate(0);
    }
    long payload = 0;
    for (int i = 0; i < records.size(); i++) {
      if (records.get(i) == null) {
        throw new InvalidBatchException("Record " + i + " of a slice is null.");
      }
      payload += records.get(i).remaining();
    }
    long length = encodedLength(records.size(), payload);
    if (length > MAX_LENGTH) {
      throw new InvalidBatchException(
          "A slice of "
              + records.size()
              + " records would take "
              + length
              + " bytes; "
              + MAX_LENGTH
              + " is the most. Put fewer records into a slice.");
    }
    ByteBuffer out = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
    for (ByteBuffer record : records) {
      out.put(record.duplicate());
    }
    int end = 0;
    for (ByteBuffer record : records) {
      end += record.remaining();
      out.putInt(end);
    }
    out.putInt(records.size()).putInt(VERSION).put(Frame.magicBytes(MAGIC));
    return out.flip();
  }

  /** Whether {@code count} records of {@code payload} bytes together fit into one slice. */
  public static boolean fits(int count, long payload) {
    return encodedLength(count, payload) <= MAX_LENGTH;
  }

  private static long encodedLength(int count, long payload) {
    return payload + 4L * count + TRAILER_LENGTH;
  }

  /**
   * The records of the remaining bytes of {@code slice}, without copying them and without moving
   * it.
   *
   * @throws CorruptObjectException if the bytes are not a slice of records
   * @throws dev.lakestream.format.UnsupportedVersionException if a newer build wrote it
   */
  public static RecordSlice decode(ByteBuffer slice) {
    return decode(slice, "A slice of records");
  }

  /** As {@link #decode(ByteBuffer)}; {@code what} names the slice in errors. */
  public static RecordSlice decode(ByteBuffer slice, String what) {
    ByteBuffer bytes = slice.slice().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    int length = bytes.remaining();
    if (length == 0) {
      return new RecordSlice(bytes, 0, 0);
    }
    if (length < TRAILER_LENGTH) {
      throw new CorruptObjectException(what + " is too short: " + length + " bytes.");
    }
    Frame.checkMagic(bytes, length - Frame.MAGIC_LENGTH, MAGIC, what);
    SliceChecks.checkVersion(bytes.getInt(length - 8), VERSION, what);
    int count = bytes.getInt(length - TRAILER_LENGTH);
    long endsAt = length - TRAILER_LENGTH - 4L * count;
    if (count < 0 || endsAt < 0) {
      throw new CorruptObjectException(
          what
              + " has "
              + length
              + " bytes and states "
              + Integer.toUnsignedLong(count)
              + " records.");
    }
    RecordSlice decoded = new RecordSlice(bytes, count, (int) endsAt);
    decoded.checkEnds(what);
    return decoded;
  }

  private void checkEnds(String what) {
    int previous = 0;
    for (int i = 0; i < count; i++) {
      int end = end(i);
      if (end < previous || end > endsAt) {
        throw new CorruptObjectException(
            what + ": record " + i + " ends at " + Integer.toUnsignedLong(end) + " out of order.");
      }
      previous = end;
    }
    if (previous != endsAt) {
      throw new CorruptObjectException(
          what + " has " + endsAt + " bytes of records, which end at " + previous + ".");
    }
  }

  private int end(int i) {
    return bytes.getInt(endsAt + 4 * i);
  }

  /** How many records there are. */
  public int count() {
    return count;
  }

  /** A read-only view of record {@code i}. */
  public ByteBuffer record(int i) {
    if (i < 0 || i >= count) {
      throw new IndexOutOfBoundsException("Record " + i + " of " + count + ".");
    }
    int start = i == 0 ? 0 : end(i - 1);
    return bytes.slice(start, end(i) - start);
  }

  /** Read-only views of all records; {@code subList} splits the slice between ranks. */
  public List<ByteBuffer> records() {
    return new Views();
  }

  private final class Views extends AbstractList<ByteBuffer> implements RandomAccess {
    @Override
    public ByteBuffer get(int index) {
      return record(index);
    }

    @Override
    public int size() {
      return count;
    }
  }
}
