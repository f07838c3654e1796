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
package dev.lakestream.consumer;

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a consumer stands: to be kept in a model checkpoint. The same for all ranks of a job, since
 * it names no rank.
 *
 * <p>Binary, always {@value #LENGTH} bytes, little-endian: {@code ["LKCU"][u32 format version][16
 * byte stream UUID, most significant first][u64 manifest version][u64 step][u32 D][u32 C][u32
 * CRC32C of all before]}. As text, on one line: {@code lakestream-cursor:1:<UUID>:v<manifest
 * version>:s<step>:<D>x<C>:<CRC32C of the text before the last colon, 8 hex digits>}.
 *
 * @param streamId refused by every other stream (invariant I10)
 * @param version the manifest that the newest delivered step was found in
 * @param step the next one to be read
 * @param mesh that the consumer read with
 */
public record Cursor(UUID streamId, long version, long step, Mesh mesh) {

  /** Of the binary form, in bytes. */
  public static final int LENGTH = 52;

  private static final String MAGIC = "LKCU";
  private static final int FORMAT = 1;
  private static final String TEXT_BEGIN = "lakestream-cursor:";
  private static final Pattern TEXT =
      Pattern.compile(
          TEXT_BEGIN
              + "1:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
              + ":v([0-9]{1,19}):s([0-9]{1,19}):([0-9]{1,10})x([0-9]{1,10}):([0-9a-f]{8})");

  public Cursor {
    if (version < 0 || step < 0) {
      throw new IllegalArgumentException(
          "No cursor stands at manifest " + version + ", step " + step + ".");
    }
  }

  /** The binary form. */
  public byte[] toBytes() {
    byte[] bytes = new byte[LENGTH];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putHeader(out, MAGIC, FORMAT);
    out.order(ByteOrder.BIG_ENDIAN)
        .putLong(streamId.getMostSignificantBits())
        .putLong(streamId.getLeastSignificantBits());
    out.order(ByteOrder.LITTLE_ENDIAN).putLong(version).putLong(step);
    out.putInt(mesh.dp()).putInt(mesh.cp());
    out.putInt(Frame.crc32c(bytes, 0, out.position()));
    return bytes;
  }

  /**
   * The inverse of {@link #toBytes}.
   *
   * @throws CorruptObjectException if any byte is not as it was written
   * @throws dev.lakestream.format.UnsupportedVersionException if a newer build wrote it
   */
  public static Cursor fromBytes(byte[] bytes) {
    String what = "A cursor";
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < Frame.HEADER_LENGTH) {
      throw new CorruptObjectException(what + " is too short: " + bytes.length + " bytes.");
    }
    Frame.checkHeader(in, MAGIC, FORMAT, what);
    if (bytes.length != LENGTH) {
      throw new CorruptObjectException(
          what + " has " + LENGTH + " bytes, not " + bytes.length + ".");
    }
    Frame.checkCrc(in.slice(0, LENGTH - 4), in.getInt(LENGTH - 4), what);
    in.position(Frame.HEADER_LENGTH).order(ByteOrder.BIG_ENDIAN);
    UUID streamId = new UUID(in.getLong(), in.getLong());
    in.order(ByteOrder.LITTLE_ENDIAN);
    return checked(streamId, in.getLong(), in.getLong(), in.getInt(), in.getInt(), what);
  }

  /** The text form. */
  public String toText() {
    String text = TEXT_BEGIN + FORMAT + ":" + streamId + ":v" + version + ":s" + step + ":" + mesh;
    return text + ":" + crc(text);
  }

  /**
   * The inverse of {@link #toText}; blanks around it are passed over.
   *
   * @throws CorruptObjectException if any character is not as it was written
   */
  public static Cursor parse(String text) {
    String stripped = text.strip();
    String what = "The cursor \"" + (stripped.length() > 200 ? "…" : stripped) + "\"";
    Matcher parts = TEXT.matcher(stripped);
    if (!parts.matches()) {
      boolean other = stripped.startsWith(TEXT_BEGIN) && !stripped.startsWith(TEXT_BEGIN + "1:");
      throw new CorruptObjectException(
          what
              + (other
                  ? " is of a format version that this build does not read."
                  : " is not of the form lakestream-cursor:1:<UUID>:v<manifest>:s<step>:<D>x<C>:<checksum>."));
    }
    String checksum = crc(stripped.substring(0, stripped.lastIndexOf(':')));
    if (!checksum.equals(parts.group(6))) {
      throw new CorruptObjectException(
          what + " is damaged: its checksum should be " + checksum + ".");
    }
    try {
      return checked(
          UUID.fromString(parts.group(1)),
          Long.parseLong(parts.group(2)),
          Long.parseLong(parts.group(3)),
          Integer.parseInt(parts.group(4)),
          Integer.parseInt(parts.group(5)),
          what);
    } catch (NumberFormatException e) {
      throw new CorruptObjectException(what + " holds a number that is too large.", e);
    }
  }

  private static Cursor checked(
      UUID streamId, long version, long step, int dp, int cp, String what) {
    try {
      return new Cursor(streamId, version, step, new Mesh(dp, cp));
    } catch (InvalidBatchException | IllegalArgumentException e) {
      throw new CorruptObjectException(what + " states what cannot be: " + e.getMessage(), e);
    }
  }

  private static String crc(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    String hex = Integer.toHexString(Frame.crc32c(bytes, 0, bytes.length));
    return "0".repeat(8 - hex.length()) + hex;
  }

  /** The text form. */
  @Override
  public String toString() {
    return toText();
  }
}
