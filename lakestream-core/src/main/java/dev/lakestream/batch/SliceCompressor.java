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

import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Brings the slices of one bundle into the form in which they are stored. A slice that is not
 * compressed, or that compression does not shrink, is kept as the buffer it came in. Compressed
 * ones are written once, next to one another, into pages that are at least as large as the slice,
 * so that no compressed copy is ever trimmed or moved.
 *
 * <p>One exception: a heap buffer that is read-only hides its array; to be compressed it passes
 * through a scratch array first.
 */
final class SliceCompressor {

  private static final int LEAST_PAGE = 64 << 10;
  private static final int LARGE_PAGE = 4 << 20;

  private final Compression compression;
  private byte[] page = new byte[0];
  private int used;
  private long held;

  /** Stored over raw, of late: whether the rest of a page is worth a try. */
  private double ratio = 1;

  SliceCompressor(Compression compression) {
    this.compression = compression;
  }

  /**
   * A slice as it will lie in the bundle.
   *
   * @param bytes stored; never moved
   */
  record StoredSlice(
      ByteBuffer bytes, int rawLength, int records, int crc, Compression compression) {

    static StoredSlice of(Slice slice, ByteBuffer stored, Compression compression) {
      return new StoredSlice(
          stored, slice.bytes().remaining(), slice.records(), Frame.crc32c(stored), compression);
    }
  }

  /** Memory that it keeps: whole pages, and the buffers that it kept as they came. */
  long held() {
    return held;
  }

  List<StoredSlice> store(List<Slice> slices) {
    if (compression == Compression.NONE) {
      return slices.stream().map(this::asItIs).toList();
    }
    try (BlockCodec codec = BlockCodec.of(compression)) {
      return slices.stream().map(slice -> compressed(slice, codec)).toList();
    }
  }

  private StoredSlice asItIs(Slice slice) {
    held += slice.bytes().remaining();
    return StoredSlice.of(slice, slice.bytes().slice(), Compression.NONE);
  }

  private StoredSlice compressed(Slice slice, BlockCodec codec) {
    int length = slice.bytes().remaining();
    int limit = length - 1; // It must shrink.
    if (limit < 1) {
      return asItIs(slice);
    }
    byte[] raw;
    int offset;
    if (slice.bytes().hasArray()) {
      raw = slice.bytes().array();
      offset = slice.bytes().arrayOffset() + slice.bytes().position();
    } else {
      raw = new byte[length];
      offset = 0;
      slice.bytes().duplicate().get(raw);
    }
    int room = Math.min(limit, page.length - used);
    int written = -1;
    if (room >= Math.min(limit, (long) (length * ratio * 1.1) + 64)) {
      written = codec.compress(raw, offset, length, page, used, room);
    } else {
      room = 0;
    }
    if (written < 0 && room < limit) {
      beginPage(limit);
      written = codec.compress(raw, offset, length, page, used, limit);
    }
    ratio = 0.75 * ratio + 0.25 * (written < 0 ? 1 : (double) written / length);
    if (written < 0) {
      return asItIs(slice);
    }
    if (used == 0) {
      held += page.length;
    }
    ByteBuffer stored = ByteBuffer.wrap(page, used, written).slice();
    used += written;
    return StoredSlice.of(slice, stored, compression);
  }

  private void beginPage(int room) {
    int twice = Math.min(LARGE_PAGE, Math.max(LEAST_PAGE, 2 * Math.min(page.length, LARGE_PAGE)));
    page = new byte[Math.max(room, twice)];
    used = 0;
  }
}
