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
package dev.lakestream.assembly;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.OptionalLong;

/**
 * A sample as bytes, for the state of a writer: {@code [u8 version][u8 kind][u8 1 if there is an
 * event time, else 0][u8 0][u64 id][i64 event time, or 0][content][u32 CRC32C of all before]},
 * little-endian. Kind 1 are bytes: the content is the payload. Kind 2 are tokens: the content is
 * {@code [u32 first position][u32 token]…}. The length is the container's to keep.
 */
public final class SampleCodec {

  private static final int VERSION = 1;
  private static final byte BYTES = 1;
  private static final byte TOKENS = 2;
  private static final int HEADER_LENGTH = 4 + 8 + 8;
  private static final int CRC_LENGTH = 4;
  private static final long MAX_LENGTH = Integer.MAX_VALUE - 8;

  private SampleCodec() {}

  /**
   * @throws InvalidSampleException if it does not fit into an array
   */
  public static byte[] encode(Sample sample) {
    int positionLength = sample instanceof Sample.Tokens ? 4 : 0;
    long length = HEADER_LENGTH + positionLength + sample.bytes() + CRC_LENGTH;
    if (length > MAX_LENGTH) {
      throw new InvalidSampleException(
          "Sample "
              + Sample.idText(sample.id())
              + " would take "
              + length
              + " bytes of state; "
              + MAX_LENGTH
              + " is the most. Cut it into smaller samples.");
    }
    byte[] bytes = new byte[(int) length];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.put((byte) VERSION).put(sample instanceof Sample.Tokens ? TOKENS : BYTES);
    out.put((byte) (sample.eventTime().isPresent() ? 1 : 0)).put((byte) 0);
    out.putLong(sample.id()).putLong(sample.eventTime().orElse(0));
    if (sample instanceof Sample.Tokens tokens) {
      out.putInt(tokens.firstPosition());
      out.asIntBuffer().put(tokens.tokens());
    } else if (sample instanceof Sample.Bytes payload) {
      out.put(payload.payload());
    }
    int crcAt = bytes.length - CRC_LENGTH;
    out.putInt(crcAt, Frame.crc32c(bytes, 0, crcAt));
    return bytes;
  }

  /**
   * The sample in the remaining bytes of {@code in}; a payload of bytes is a view of them. Does not
   * move {@code in}.
   *
   * @throws CorruptObjectException if the bytes are not what {@link #encode} made
   * @throws UnsupportedVersionException if a newer build made them
   */
  public static Sample decode(ByteBuffer in) {
    ByteBuffer bytes = in.slice().order(ByteOrder.LITTLE_ENDIAN);
    int contentLength = bytes.limit() - HEADER_LENGTH - CRC_LENGTH;
    if (contentLength < 0) {
      throw corrupt("is too short: " + bytes.limit() + " bytes");
    }
    if (bytes.get(0) > VERSION) {
      throw new UnsupportedVersionException("A sample in state", bytes.get(0), VERSION);
    }
    int crcAt = HEADER_LENGTH + contentLength;
    Frame.checkCrc(bytes.slice(0, crcAt), bytes.getInt(crcAt), "A sample in state");
    if (bytes.get(0) != VERSION || bytes.get(2) < 0 || bytes.get(2) > 1) {
      throw corrupt("begins with bytes that no version writes");
    }
    long id = bytes.getLong(4);
    OptionalLong time =
        bytes.get(2) == 1 ? OptionalLong.of(bytes.getLong(12)) : OptionalLong.empty();
    ByteBuffer content = bytes.slice(HEADER_LENGTH, contentLength).order(ByteOrder.LITTLE_ENDIAN);
    return switch (bytes.get(1)) {
      case BYTES -> new Sample.Bytes(id, time, content);
      case TOKENS -> tokens(id, time, content);
      default -> throw corrupt("is of unknown kind " + bytes.get(1));
    };
  }

  private static Sample tokens(long id, OptionalLong time, ByteBuffer content) {
    if (content.limit() < 8 || content.limit() % 4 != 0) {
      throw corrupt("has " + content.limit() + " bytes of tokens");
    }
    IntBuffer values = content.asIntBuffer();
    int firstPosition = values.get();
    int[] tokens = new int[values.remaining()];
    values.get(tokens);
    return new Sample.Tokens(id, time, firstPosition, IntBuffer.wrap(tokens));
  }

  private static CorruptObjectException corrupt(String how) {
    return new CorruptObjectException("A sample in state " + how + ".");
  }
}
