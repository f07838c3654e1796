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
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A sample as bytes, for the state of a writer: {@code [u8 version][u8 kind][u8 1 if there is an
 * event time, else 0][u8 0][u64 id][i64 event time, or 0][content][u32 CRC32C of all before]},
 * little-endian. Kind 1 are bytes: the content is the payload. Kind 2 are tokens: the content is
 * {@code [u32 first position][u32 token]…}. The length is the container's to keep.
 *
 * <p>A sample with attributes is of version 2, which has them before the content: {@code [u32
 * count]} and for each {@code [u32 length][key in UTF-8][u32 length][value in UTF-8]}, by key.
 */
public final class SampleCodec {

  private static final int VERSION = 2;
  private static final int WITHOUT_ATTRIBUTES = 1;
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
    byte[] attributes = attributes(sample);
    long length =
        (long) HEADER_LENGTH + attributes.length + positionLength + sample.bytes() + CRC_LENGTH;
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
    out.put((byte) (attributes.length == 0 ? WITHOUT_ATTRIBUTES : VERSION));
    out.put(sample instanceof Sample.Tokens ? TOKENS : BYTES);
    out.put((byte) (sample.eventTime().isPresent() ? 1 : 0)).put((byte) 0);
    out.putLong(sample.id()).putLong(sample.eventTime().orElse(0));
    out.put(attributes);
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
    if (bytes.get(0) < WITHOUT_ATTRIBUTES || bytes.get(2) < 0 || bytes.get(2) > 1) {
      throw corrupt("begins with bytes that no version writes");
    }
    long id = bytes.getLong(4);
    OptionalLong time =
        bytes.get(2) == 1 ? OptionalLong.of(bytes.getLong(12)) : OptionalLong.empty();
    ByteBuffer rest = bytes.slice(HEADER_LENGTH, contentLength).order(ByteOrder.LITTLE_ENDIAN);
    Map<String, String> attributes =
        bytes.get(0) == WITHOUT_ATTRIBUTES ? Map.of() : takeAttributes(rest);
    ByteBuffer content = rest.slice().order(ByteOrder.LITTLE_ENDIAN);
    return switch (bytes.get(1)) {
      case BYTES -> new Sample.Bytes(id, time, content, attributes);
      case TOKENS -> tokens(id, time, content).with(attributes);
      default -> throw corrupt("is of unknown kind " + bytes.get(1));
    };
  }

  /** Nothing, if it has none. */
  private static byte[] attributes(Sample sample) {
    if (sample.attributes().isEmpty()) {
      return new byte[0];
    }
    List<byte[]> texts = new ArrayList<>();
    new TreeMap<>(sample.attributes())
        .forEach(
            (key, value) -> {
              texts.add(key.getBytes(StandardCharsets.UTF_8));
              texts.add(value.getBytes(StandardCharsets.UTF_8));
            });
    int length = 4 + texts.stream().mapToInt(text -> 4 + text.length).sum();
    ByteBuffer out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(sample.attributes().size());
    texts.forEach(text -> out.putInt(text.length).put(text));
    return out.array();
  }

  private static Map<String, String> takeAttributes(ByteBuffer in) {
    try {
      Map<String, String> attributes = new HashMap<>();
      for (int left = in.getInt(); left > 0; left--) {
        attributes.put(takeText(in), takeText(in));
      }
      return attributes;
    } catch (BufferUnderflowException e) {
      throw corrupt("has attributes that end early");
    }
  }

  private static String takeText(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] text = new byte[length];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
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
