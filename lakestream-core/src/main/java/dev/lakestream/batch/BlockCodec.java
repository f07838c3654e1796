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
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/** Compresses one slice into room that may be too small for it. Not thread-safe. */
interface BlockCodec extends AutoCloseable {

  /**
   * @return how many bytes it wrote; -1: they do not fit into the room
   */
  int compress(byte[] raw, int offset, int length, byte[] room, int roomOffset, int roomLength);

  @Override
  void close();

  static BlockCodec of(Compression compression) {
    return switch (compression) {
      case ZSTD -> new ZstdCodec();
      case LZ4 -> new Lz4Codec();
      case NONE -> throw new IllegalArgumentException("Nothing compresses with NONE.");
    };
  }

  /** One frame without a checksum of its own, with its content size: the slice table has a CRC. */
  final class ZstdCodec implements BlockCodec {

    private final ZstdCompressCtx context = new ZstdCompressCtx();

    ZstdCodec() {
      context.setLevel(Zstd.defaultCompressionLevel()).setContentSize(true).setChecksum(false);
    }

    @Override
    public int compress(
        byte[] raw, int offset, int length, byte[] room, int roomOffset, int roomLength) {
      try {
        return context.compressByteArray(room, roomOffset, roomLength, raw, offset, length);
      } catch (ZstdException e) {
        if (e.getErrorCode() == Zstd.errDstSizeTooSmall()) {
          return -1;
        }
        throw e;
      }
    }

    @Override
    public void close() {
      context.close();
    }
  }

  /** One block, without a frame: the slice table has the lengths. */
  final class Lz4Codec implements BlockCodec {

    private static final LZ4Compressor LZ4 = LZ4Factory.fastestInstance().fastCompressor();

    @Override
    public int compress(
        byte[] raw, int offset, int length, byte[] room, int roomOffset, int roomLength) {
      try {
        return LZ4.compress(raw, offset, length, room, roomOffset, roomLength);
      } catch (LZ4Exception e) {
        return -1; // It knows one failure: no room.
      }
    }

    @Override
    public void close() {}
  }
}
