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
package dev.lakestream.format;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The frame around a message that is an object by itself (stream, segment, watermark, tag): {@code
 * [magic][u32 version][message][u32 message length][u32 CRC32C of all before][magic]},
 * little-endian. Magic and version stand first so that a foreign or newer object is told apart
 * before anything is believed; the magic stands last again so that a cut is seen.
 */
public final class Frame {

  public static final int MAGIC_LENGTH = 4;
  public static final int HEADER_LENGTH = MAGIC_LENGTH + 4;
  private static final int TRAILER_LENGTH = 4 + 4 + MAGIC_LENGTH;

  private Frame() {}

  /** The message in its frame. */
  public static byte[] encode(String magic, int version, MessageLite message) {
    int length = message.getSerializedSize();
    byte[] bytes = new byte[HEADER_LENGTH + length + TRAILER_LENGTH];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    putHeader(out, magic, version);
    putMessage(out, message);
    out.putInt(length);
    out.putInt(crc32c(bytes, 0, out.position()));
    out.put(magicBytes(magic));
    return bytes;
  }

  /**
   * The message inside the frame.
   *
   * @param what names the object in errors: its address and key
   * @throws CorruptObjectException if any byte is not as it was written
   * @throws UnsupportedVersionException if a newer build wrote it
   */
  public static <M> M decode(
      ByteBuffer object, String magic, int supportedVersion, Parser<M> parser, String what) {
    ByteBuffer in = object.slice().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() < HEADER_LENGTH + TRAILER_LENGTH) {
      throw new CorruptObjectException(what + " is too short: " + in.remaining() + " bytes.");
    }
    checkHeader(in, magic, supportedVersion, what);
    int length = in.getInt(in.limit() - TRAILER_LENGTH);
    if (length != in.remaining() - HEADER_LENGTH - TRAILER_LENGTH) {
      throw new CorruptObjectException(
          what + " has " + in.remaining() + " bytes and states a message of " + length + ".");
    }
    int crcAt = in.limit() - TRAILER_LENGTH + 4;
    checkCrc(in.slice(0, crcAt), in.getInt(crcAt), what);
    checkMagic(in, in.limit() - MAGIC_LENGTH, magic, what);
    return parse(in.slice(HEADER_LENGTH, length), parser, what);
  }

  /** Writes magic and version. */
  public static void putHeader(ByteBuffer out, String magic, int version) {
    out.put(magicBytes(magic)).putInt(version);
  }

  /**
   * Checks magic and version at the beginning of {@code in}, which is little-endian; does not move
   * it.
   */
  public static void checkHeader(ByteBuffer in, String magic, int supportedVersion, String what) {
    checkMagic(in, 0, magic, what);
    checkVersion(in.getInt(MAGIC_LENGTH), supportedVersion, what);
  }

  /** Checks a format version that an object states. */
  public static void checkVersion(int version, int supportedVersion, String what) {
    if (version < 1) {
      throw new CorruptObjectException(what + " states format version " + version + ".");
    }
    if (version > supportedVersion) {
      throw new UnsupportedVersionException(what, version, supportedVersion);
    }
  }

  /** Checks the four characters of the magic at {@code at}. */
  public static void checkMagic(ByteBuffer in, int at, String magic, String what) {
    byte[] found = new byte[MAGIC_LENGTH];
    in.get(at, found);
    if (!Arrays.equals(found, magicBytes(magic))) {
      throw new CorruptObjectException(
          what
              + " is not a Lakestream object of this kind, or is damaged: expected \""
              + magic
              + "\" at byte "
              + at
              + ".");
    }
  }

  /** Checks a CRC32C over the remaining bytes of {@code bytes}. */
  public static void checkCrc(ByteBuffer bytes, int expected, String what) {
    int found = crc32c(bytes);
    if (found != expected) {
      throw new CorruptObjectException(
          what
              + " is damaged: its checksum is "
              + Integer.toHexString(found)
              + " and should be "
              + Integer.toHexString(expected)
              + ".");
    }
  }

  /** CRC32C over the remaining bytes, without moving the buffer. */
  public static int crc32c(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  public static int crc32c(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /** Writes the message with map entries in key order, so that equal messages are equal bytes. */
  public static void putMessage(ByteBuffer out, MessageLite message) {
    try {
      CodedOutputStream coded = CodedOutputStream.newInstance(out);
      coded.useDeterministicSerialization();
      message.writeTo(coded);
      coded.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static <M> M parse(ByteBuffer bytes, Parser<M> parser, String what) {
    try {
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new CorruptObjectException(what + " does not hold the message that it should.", e);
    }
  }

  public static byte[] magicBytes(String magic) {
    byte[] bytes = magic.getBytes(StandardCharsets.US_ASCII);
    if (bytes.length != MAGIC_LENGTH) {
      throw new IllegalArgumentException("A magic has four characters: " + magic);
    }
    return bytes;
  }
}
