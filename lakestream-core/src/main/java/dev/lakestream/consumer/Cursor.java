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
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Where a consumer stands: to be kept in a model checkpoint. The same for all ranks of a job but
 * for the version, since it names no rank; one of them is enough to go on from.
 *
 * <p>Binary, {@value #LENGTH} bytes, little-endian: {@code ["LKCU"][u32 format version 2][16 byte
 * stream UUID, most significant first][u64 manifest version][u64 step][u64 row][u32 D][u32 C][u32
 * mode][u32 CRC32C of all before]}. As text, on one line: {@code
 * lakestream-cursor:2:<UUID>:v<manifest version>:s<step>:r<row>:<D>x<C>:<mode>:<CRC32C of the text
 * before the last colon, 8 hex digits>}. Format 1 has neither row nor mode (52 bytes); such a
 * cursor is one of mode {@code exact}, at the first row of its step, and is written as it was read.
 *
 * @param streamId refused by every other stream (invariant I10)
 * @param version the manifest that the newest delivered step was found in; ranks of one job may
 *     have found it in different ones
 * @param step the next one to be read; in mode {@code rows} the one that holds the row
 * @param row the next one to be read, of the rows of the whole stream; {@link #UNKNOWN_ROW}: the
 *     first one of the step, in a cursor of format 1
 * @param mesh that the consumer read with
 * @param mode that the consumer read in
 */
public record Cursor(UUID streamId, long version, long step, long row, Mesh mesh, ReadMode mode) {

  /** Of the binary form, in bytes. */
  public static final int LENGTH = 64;

  /** A cursor of format 1 does not say its row. */
  public static final long UNKNOWN_ROW = -1;

  private static final int LENGTH_1 = 52;
  private static final String MAGIC = "LKCU";
  private static final int FORMAT = 2;
  private static final String TEXT_BEGIN = "lakestream-cursor:";
  private static final String TEXT_STREAM_AND_STEP =
      ":([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
          + ":v([0-9]{1,19}):s([0-9]{1,19})";
  private static final String TEXT_MESH = ":([0-9]{1,10})x([0-9]{1,10})";
  private static final String TEXT_END = ":([0-9a-f]{8})";
  private static final Pattern TEXT_1 =
      Pattern.compile(TEXT_BEGIN + "1" + TEXT_STREAM_AND_STEP + "()" + TEXT_MESH + "()" + TEXT_END);
  private static final Pattern TEXT_2 =
      Pattern.compile(
          TEXT_BEGIN
              + "2"
              + TEXT_STREAM_AND_STEP
              + ":r([0-9]{1,19})"
              + TEXT_MESH
              + ":([a-z]{1,16})"
              + TEXT_END);

  public Cursor {
    Objects.requireNonNull(streamId, "streamId");
    Objects.requireNonNull(mode, "mode");
    if (version < 0 || step < 0 || row < UNKNOWN_ROW) {
      throw new IllegalArgumentException(
          "No cursor stands at manifest " + version + ", step " + step + ", row " + row + ".");
    }
    if (row == UNKNOWN_ROW && mode != ReadMode.EXACT) {
      throw new IllegalArgumentException("A cursor of mode '" + mode + "' needs a row.");
    }
  }

  /** At the first row of a step, in mode {@code exact}, without knowing which row that is. */
  public Cursor(UUID streamId, long version, long step, Mesh mesh) {
    this(streamId, version, step, UNKNOWN_ROW, mesh, ReadMode.EXACT);
  }

  /** The binary form. */
  public byte[] toBytes() {
    boolean first = row == UNKNOWN_ROW;
    byte[] bytes = new byte[first ? LENGTH_1 : LENGTH];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putHeader(out, MAGIC, first ? 1 : FORMAT);
    out.order(ByteOrder.BIG_ENDIAN)
        .putLong(streamId.getMostSignificantBits())
        .putLong(streamId.getLeastSignificantBits());
    out.order(ByteOrder.LITTLE_ENDIAN).putLong(version).putLong(step);
    if (!first) {
      out.putLong(row);
    }
    out.putInt(mesh.dp()).putInt(mesh.cp());
    if (!first) {
      out.putInt(mode.code());
    }
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
    boolean first = in.getInt(Frame.MAGIC_LENGTH) == 1;
    int length = first ? LENGTH_1 : LENGTH;
    if (bytes.length != length) {
      throw new CorruptObjectException(
          what + " has " + length + " bytes, not " + bytes.length + ".");
    }
    Frame.checkCrc(in.slice(0, length - 4), in.getInt(length - 4), what);
    in.position(Frame.HEADER_LENGTH).order(ByteOrder.BIG_ENDIAN);
    UUID streamId = new UUID(in.getLong(), in.getLong());
    in.order(ByteOrder.LITTLE_ENDIAN);
    long version = in.getLong();
    long step = in.getLong();
    long row = first ? UNKNOWN_ROW : requireNotNegative(in.getLong(), what);
    int dp = in.getInt();
    int cp = in.getInt();
    ReadMode mode = first ? ReadMode.EXACT : ReadMode.ofCode(in.getInt());
    return checked(streamId, version, step, row, dp, cp, mode, what);
  }

  private static long requireNotNegative(long row, String what) {
    if (row < 0) {
      throw new CorruptObjectException(what + " states what cannot be: row " + row + ".");
    }
    return row;
  }

  /** The text form. */
  public String toText() {
    String at = streamId + ":v" + version + ":s" + step;
    String text =
        row == UNKNOWN_ROW
            ? TEXT_BEGIN + "1:" + at + ":" + mesh
            : TEXT_BEGIN + FORMAT + ":" + at + ":r" + row + ":" + mesh + ":" + mode;
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
    boolean first = stripped.startsWith(TEXT_BEGIN + "1:");
    Matcher parts = (first ? TEXT_1 : TEXT_2).matcher(stripped);
    if (!parts.matches()) {
      boolean other = !first && stripped.matches(TEXT_BEGIN + "[0-9]+:.*");
      throw new CorruptObjectException(
          what
              + (other && !stripped.startsWith(TEXT_BEGIN + "2:")
                  ? " is of a format version that this build does not read."
                  : " is not of the form lakestream-cursor:2:<UUID>:v<manifest>:s<step>:r<row>:<D>x<C>:<mode>:<checksum>."));
    }
    String checksum = crc(stripped.substring(0, stripped.lastIndexOf(':')));
    if (!checksum.equals(parts.group(8))) {
      throw new CorruptObjectException(
          what + " is damaged: its checksum should be " + checksum + ".");
    }
    try {
      return checked(
          UUID.fromString(parts.group(1)),
          Long.parseLong(parts.group(2)),
          Long.parseLong(parts.group(3)),
          first ? UNKNOWN_ROW : Long.parseLong(parts.group(4)),
          Integer.parseInt(parts.group(5)),
          Integer.parseInt(parts.group(6)),
          first ? ReadMode.EXACT : ReadMode.ofName(parts.group(7)),
          what);
    } catch (NumberFormatException e) {
      throw new CorruptObjectException(what + " holds a number that is too large.", e);
    }
  }

  private static Cursor checked(
      UUID streamId,
      long version,
      long step,
      long row,
      int dp,
      int cp,
      ReadMode mode,
      String what) {
    if (mode == null) {
      throw new CorruptObjectException(what + " states a mode that there is not.");
    }
    try {
      return new Cursor(streamId, version, step, row, new Mesh(dp, cp), mode);
    } catch (InvalidBatchException | IllegalArgumentException e) {
      throw new CorruptObjectException(what + " states what cannot be: " + e.getMessage(), e);
    }
  }

  private static String crc(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    String hex = Integer.toHexString(Frame.crc32c(bytes, 0, bytes.length));
    return "0".repeat(8 - hex.length()) + hex;
  }

  /** Whether the two say the same in all but the manifest version. */
  boolean agreesWith(Cursor other) {
    return streamId.equals(other.streamId)
        && step == other.step
        && row == other.row
        && mesh.equals(other.mesh)
        && mode == other.mode;
  }

  /**
   * The one cursor that all ranks of a job have saved, each its own.
   *
   * @param byRank of each global rank (TP and PP ranks included) the cursor that it saved
   * @param worldSize how many ranks saved one
   * @return with the newest manifest version of them
   * @throws CursorsDisagreeException if one is missing, or if they do not agree in everything but
   *     the manifest version: they are then of different checkpoints
   */
  public static Cursor ofRanks(Map<Integer, Cursor> byRank, int worldSize) {
    List<Integer> missing =
        IntStream.range(0, worldSize).filter(r -> !byRank.containsKey(r)).boxed().toList();
    List<Integer> others =
        byRank.keySet().stream().filter(r -> r < 0 || r >= worldSize).sorted().toList();
    if (worldSize < 1 || !missing.isEmpty() || !others.isEmpty()) {
      throw new CursorsDisagreeException(
          "The checkpoint of "
              + worldSize
              + " ranks holds the cursors of "
              + byRank.size()
              + (missing.isEmpty() ? "" : "; missing are those of ranks " + missing)
              + (others.isEmpty() ? "" : "; there are no ranks " + others)
              + ". Bring the cursors of all ranks of one checkpoint, or one alone.");
    }
    Cursor newest = byRank.get(0);
    for (int rank = 1; rank < worldSize; rank++) {
      Cursor cursor = byRank.get(rank);
      if (!cursor.agreesWith(byRank.get(0))) {
        throw new CursorsDisagreeException(
            "The cursors of the ranks disagree: rank 0 stands at "
                + byRank.get(0)
                + " and rank "
                + rank
                + " at "
                + cursor
                + ". They are of different checkpoints, or were not saved after the same step: bring"
                + " those of one checkpoint.");
      }
      newest = cursor.version > newest.version ? cursor : newest;
    }
    if (worldSize % newest.mesh.slices() != 0) {
      throw new CursorsDisagreeException(
          "Cursors of "
              + worldSize
              + " ranks were brought, and they were taken with a mesh of "
              + newest.mesh
              + ", that is "
              + newest.mesh.slices()
              + " DP x CP ranks times TP x PP. Bring the cursors of all ranks of one checkpoint.");
    }
    return newest;
  }

  /** The text form. */
  @Override
  public String toString() {
    return toText();
  }
}
