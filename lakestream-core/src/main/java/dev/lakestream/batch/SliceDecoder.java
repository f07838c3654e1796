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

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Stored bytes back into a slice. Verifies their CRC before anything looks inside, and allocates
 * the raw length only where the stored bytes agree with it.
 */
final class SliceDecoder {

  /** LZ4 cannot expand a block by more: the most that one byte of a match length adds. */
  private static final int LZ4_MOST_EXPANSION = 255;

  private static final LZ4SafeDecompressor LZ4 = LZ4Factory.fastestInstance().safeDecompressor();

  private SliceDecoder() {}

  /**
   * @param stored exactly the stored bytes; uncompressed, the slice is a view of them
   * @param entry checked against its section
   */
  static Slice decode(ByteBuffer stored, BundleFormat.Entry entry, String what) {
    Frame.checkCrc(stored, entry.crc(), what);
    return decodeVerified(stored, entry, what);
  }

  /** As above for bytes whose CRC has been compared. */
  static Slice decodeVerified(ByteBuffer stored, BundleFormat.Entry entry, String what) {
    return new Slice(raw(stored, entry, what), entry.records());
  }

  private static ByteBuffer raw(ByteBuffer stored, BundleFormat.Entry entry, String what) {
    if (entry.compression() == Compression.NONE) {
      return stored;
    }
    byte[] in;
    int offset;
    if (stored.hasArray()) {
      in = stored.array();
      offset = stored.arrayOffset() + stored.position();
    } else {
      in = new byte[stored.remaining()];
      offset = 0;
      stored.duplicate().get(in);
    }
    int length = stored.remaining();
    int rawLength = (int) entry.rawLength();
    boolean zstd = entry.compression() == Compression.ZSTD;
    boolean possible =
        zstd
            ? Zstd.getFrameContentSize(in, offset, length) == rawLength
            : rawLength <= (long) length * LZ4_MOST_EXPANSION;
    byte[] raw = new byte[possible ? rawLength : 0];
    if (!possible
        || rawLength
            != (zstd ? zstd(in, offset, length, raw, what) : lz4(in, offset, length, raw, what))) {
      throw new CorruptObjectException(
          what
              + " does not decompress to the "
              + rawLength
              + " bytes that its table states ("
              + entry.compression()
              + ").");
    }
    return ByteBuffer.wrap(raw);
  }

  private static int zstd(byte[] in, int offset, int length, byte[] raw, String what) {
    try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
      return context.decompressByteArray(raw, 0, raw.length, in, offset, length);
    } catch (ZstdException e) {
      throw new CorruptObjectException(what + " is not a Zstandard frame: " + e.getMessage(), e);
    }
  }

  private static int lz4(byte[] in, int offset, int length, byte[] raw, String what) {
    try {
      return LZ4.decompress(in, offset, length, raw, 0, raw.length);
    } catch (LZ4Exception e) {
      throw new CorruptObjectException(what + " is not an LZ4 block: " + e.getMessage(), e);
    }
  }
}
