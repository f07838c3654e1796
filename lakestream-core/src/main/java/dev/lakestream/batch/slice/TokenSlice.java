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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A slice of packed token sequences, in the slice format {@code tokens}: of each of n sequences the
 * tokens of one context-parallel chunk, and where documents begin in the <em>whole</em> sequence,
 * which attention masks need on every rank. Layout in docs/slice-formats.md and in {@link
 * TokenSliceWriter}.
 *
 * <p>Padding stands at the end of a sequence only. A padding token has position 0 and segment 0;
 * documents are segments 1, 2, … of their sequence.
 *
 * <p>Decoding checks that everything adds up and allocates nothing that grows with what the bytes
 * claim.
 */
public final class TokenSlice {

  static final String MAGIC = "LKTS";
  static final int VERSION = 1;
  static final int HEADER_LENGTH = 32;
  static final int ENTRY_LENGTH = 16;
  static final int BOUNDARY_LENGTH = 16;

  /** Stored where no token follows a chunk, and returned by {@link #targets} for no target. */
  public static final int NO_TOKEN = -1;

  /**
   * Where a document begins, or goes on, in a sequence.
   *
   * @param start the index in the whole sequence, 0 … L-1
   * @param firstPosition the position inside its document of the token at {@code start}
   * @param sampleId of the document, unsigned
   */
  public record Boundary(int start, int firstPosition, long sampleId) {}

  private final ByteBuffer bytes;
  private final TokenFormat format;
  private final int chunk;
  private final int count;
  private final int tableAt;

  private TokenSlice(ByteBuffer bytes, TokenFormat format, int chunk, int count, int tableAt) {
    this.bytes = bytes;
    this.format = format;
    this.chunk = chunk;
    this.count = count;
    this.tableAt = tableAt;
  }

  /**
   * The slice that holds chunk {@code chunk} of each of {@code sequences}; empty for none. Copies
   * each token once.
   *
   * @param sequences each the segments of one sequence in order, L tokens together or fewer (the
   *     rest is padding), possibly none
   * @throws InvalidBatchException if a sequence is too long, a token does not fit into the width,
   *     or all of it not into one slice
   */
  public static ByteBuffer encode(
      TokenFormat format, int chunk, List<? extends List<TokenSegment>> sequences) {
    return new TokenSliceWriter(format, chunk, sequences).write();
  }

  /**
   * The sequences of the remaining bytes of {@code slice}, which are not copied; does not move it.
   *
   * @throws CorruptObjectException if the bytes are not a slice of tokens
   * @throws dev.lakestream.format.UnsupportedVersionException if a newer build wrote it
   */
  public static TokenSlice decode(ByteBuffer slice) {
    return decode(slice, "A slice of tokens");
  }

  /** As {@link #decode(ByteBuffer)}; {@code what} names the slice in errors. */
  public static TokenSlice decode(ByteBuffer slice, String what) {
    ByteBuffer in = slice.slice().asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
    if (!in.hasRemaining()) {
      return new TokenSlice(in, new TokenFormat(1, 1, TokenWidth.U16, 0), 0, 0, 0);
    }
    if (in.remaining() < HEADER_LENGTH) {
      throw new CorruptObjectException(what + " is too short: " + in.remaining() + " bytes.");
    }
    Frame.checkHeader(in, MAGIC, VERSION, what);
    int count = in.getInt(8);
    int chunk = in.getInt(16);
    TokenFormat format = format(in, what);
    if (count < 0 || chunk < 0 || chunk >= format.chunks()) {
      throw new CorruptObjectException(
          what + " states " + count + " sequences, chunk " + chunk + " of " + format.chunks());
    }
    long tokens = (long) count * format.chunkLength();
    long tableAt = tokens > in.limit() ? Long.MAX_VALUE : tableAt(tokens, format.width());
    if (tableAt > in.limit() - (long) ENTRY_LENGTH * count) {
      throw new CorruptObjectException(
          what + " has " + in.limit() + " bytes and states " + tokens + " tokens.");
    }
    TokenSlice decoded = new TokenSlice(in, format, chunk, count, (int) tableAt);
    decoded.check(what);
    return decoded;
  }

  private static TokenFormat format(ByteBuffer in, String what) {
    TokenWidth width = TokenWidth.ofBytes(in.getInt(24), what);
    try {
      return new TokenFormat(in.getInt(12), in.getInt(20), width, in.getInt(28));
    } catch (InvalidBatchException e) {
      throw new CorruptObjectException(what + " states what cannot be: " + e.getMessage(), e);
    }
  }

  /** Where the table of sequences begins: behind the tokens, at a multiple of 8. */
  static long tableAt(long tokens, TokenWidth width) {
    return (HEADER_LENGTH + tokens * width.bytes() + 7) & ~7L;
  }

  private void check(String what) {
    long boundaries = (bytes.limit() - boundariesAt()) / BOUNDARY_LENGTH;
    int from = 0;
    for (int i = 0; i < count; i++) {
      int to = boundaryEnd(i);
      int real = paddingFrom(i);
      if (to < from || to > boundaries || real < 0 || real > format.sequenceLength()) {
        throw new CorruptObjectException(
            what + ": sequence " + i + " states boundaries to " + to + ", " + real + " tokens.");
      }
      int free = 0;
      for (int b = from; b < to; b++) {
        Boundary boundary = boundary(b);
        boolean inOrder = b == from ? boundary.start() == 0 : boundary.start() >= free;
        if (!inOrder || boundary.start() >= real || boundary.firstPosition() < 0) {
          throw new CorruptObjectException(
              what + ": sequence " + i + " of " + real + " tokens has " + boundary + ".");
        }
        free = boundary.start() + 1;
      }
      if ((from == to) != (real == 0)) {
        throw new CorruptObjectException(
            what
                + ": sequence "
                + i
                + " has "
                + real
                + " tokens in "
                + (to - from)
                + " documents.");
      }
      from = to;
    }
    if (boundariesAt() + (long) BOUNDARY_LENGTH * from != bytes.limit()) {
      throw new CorruptObjectException(
          what + " has " + bytes.limit() + " bytes and states " + from + " boundaries.");
    }
  }

  private long boundariesAt() {
    return tableAt + (long) ENTRY_LENGTH * count;
  }

  private int boundaryEnd(int i) {
    return bytes.getInt(tableAt + ENTRY_LENGTH * i);
  }

  /** The real token behind this chunk; {@link #NO_TOKEN} if there is none. */
  int followingToken(int i) {
    return bytes.getInt(tableAt + ENTRY_LENGTH * i + 8);
  }

  private int boundaryBegin(int i) {
    return i == 0 ? 0 : boundaryEnd(i - 1);
  }

  int boundaryCount(int i) {
    return boundaryEnd(i) - boundaryBegin(i);
  }

  /** The boundaries of sequence {@code i} as they are stored. */
  ByteBuffer boundaryBytes(int i) {
    return bytes.slice(
        (int) boundariesAt() + BOUNDARY_LENGTH * boundaryBegin(i),
        BOUNDARY_LENGTH * boundaryCount(i));
  }

  /** Columns of sequence {@code i} as they are stored. */
  ByteBuffer tokenBytes(int i, int fromColumn, int toColumn) {
    int width = format.width().bytes();
    return bytes.slice(
        HEADER_LENGTH + (i * format.chunkLength() + fromColumn) * width,
        (toColumn - fromColumn) * width);
  }

  int token(int i, int column) {
    ByteBuffer at = tokenBytes(i, column, column + 1).order(ByteOrder.LITTLE_ENDIAN);
    return format.width() == TokenWidth.U32 ? at.getInt(0) : Short.toUnsignedInt(at.getShort(0));
  }

  private Boundary boundary(int b) {
    int at = (int) boundariesAt() + BOUNDARY_LENGTH * b;
    return new Boundary(bytes.getInt(at), bytes.getInt(at + 4), bytes.getLong(at + 8));
  }

  private void checkIndex(int i) {
    if (i < 0 || i >= count) {
      throw new IndexOutOfBoundsException("Sequence " + i + " of " + count + ".");
    }
  }

  /** n, how many sequences there are. */
  public int count() {
    return count;
  }

  /** Lengths, width and padding token; without meaning in an empty slice. */
  public TokenFormat format() {
    return format;
  }

  /** c, which chunk of its sequences this slice holds. */
  public int chunk() {
    return chunk;
  }

  /** The L/C tokens of sequence {@code i} that are in this chunk, padding included. */
  public int[] tokens(int i) {
    checkIndex(i);
    int[] tokens = new int[format.chunkLength()];
    int at = HEADER_LENGTH + i * tokens.length * format.width().bytes();
    if (format.width() == TokenWidth.U32) {
      bytes.slice(at, tokens.length * 4).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(tokens);
    } else {
      for (int k = 0; k < tokens.length; k++) {
        tokens[k] = Short.toUnsignedInt(bytes.getShort(at + 2 * k));
      }
    }
    return tokens;
  }

  /** How many tokens of the whole sequence {@code i} are real; padding from there to L. */
  public int paddingFrom(int i) {
    checkIndex(i);
    return bytes.getInt(tableAt + ENTRY_LENGTH * i + 4);
  }

  /** Where documents begin in the whole sequence {@code i}, in order; empty if all is padding. */
  public List<Boundary> boundaries(int i) {
    checkIndex(i);
    List<Boundary> boundaries = new ArrayList<>();
    for (int b = boundaryBegin(i); b < boundaryEnd(i); b++) {
      boundaries.add(boundary(b));
    }
    return boundaries;
  }

  /**
   * For each token of this chunk its position inside its document, which is not 0 at the start of a
   * document that goes on; 0 for padding.
   */
  public int[] positions(int i) {
    int[] positions = new int[format.chunkLength()];
    forEachSegment(
        i,
        (segment, boundary, from, to) -> {
          for (int at = from; at < to; at++) {
            positions[at] = boundary.firstPosition() + chunkStart() + at - boundary.start();
          }
        });
    return positions;
  }

  /**
   * For each token of this chunk the number of its document in the sequence, from 1; 0: padding.
   */
  public int[] segmentIds(int i) {
    int[] segments = new int[format.chunkLength()];
    forEachSegment(
        i, (segment, boundary, from, to) -> Arrays.fill(segments, from, to, segment + 1));
    return segments;
  }

  /**
   * For each token of this chunk the token that follows it in its document, also where that one is
   * in the next chunk; {@link #NO_TOKEN} for padding, at the end of a document and at the end of
   * the sequence.
   */
  public int[] targets(int i) {
    int[] tokens = tokens(i);
    int[] targets = new int[tokens.length];
    Arrays.fill(targets, NO_TOKEN);
    List<Boundary> boundaries = boundaries(i);
    forEachSegment(
        i,
        (segment, boundary, from, to) -> {
          System.arraycopy(tokens, from + 1, targets, from, to - from - 1);
          int end =
              segment + 1 < boundaries.size()
                  ? boundaries.get(segment + 1).start()
                  : paddingFrom(i);
          if (chunkStart() + to < end) {
            targets[to - 1] = followingToken(i);
          }
        });
    return targets;
  }

  /**
   * The cumulative lengths of the documents in the whole sequence {@code i}, as variable-length
   * attention kernels take them: from 0 to L, padding counting as a last document of its own, so
   * that no token is left out.
   */
  public int[] cuSeqlens(int i) {
    List<Boundary> boundaries = boundaries(i);
    int real = paddingFrom(i);
    boolean padded = real < format.sequenceLength();
    int[] lengths = new int[boundaries.size() + (padded ? 2 : 1)];
    for (int b = 0; b < boundaries.size(); b++) {
      lengths[b] = boundaries.get(b).start();
    }
    lengths[boundaries.size()] = real;
    lengths[lengths.length - 1] = format.sequenceLength();
    return lengths;
  }

  private int chunkStart() {
    return chunk * format.chunkLength();
  }

  @FunctionalInterface
  private interface SegmentVisitor {
    /** Tokens {@code from … to - 1} of this chunk belong to document {@code segment}. */
    void visit(int segment, Boundary boundary, int from, int to);
  }

  private void forEachSegment(int i, SegmentVisitor visitor) {
    List<Boundary> boundaries = boundaries(i);
    for (int b = 0; b < boundaries.size(); b++) {
      int end = b + 1 < boundaries.size() ? boundaries.get(b + 1).start() : paddingFrom(i);
      int from = Math.max(boundaries.get(b).start() - chunkStart(), 0);
      int to = Math.min(end - chunkStart(), format.chunkLength());
      if (from < to) {
        visitor.visit(b, boundaries.get(b), from, to);
      }
    }
  }
}
