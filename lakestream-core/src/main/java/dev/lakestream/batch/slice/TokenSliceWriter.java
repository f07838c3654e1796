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
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;

/**
 * Writes a {@link TokenSlice}, little-endian:
 *
 * <pre>
 *  0  "LKTS"  u32 version  u32 n  u32 L  u32 c  u32 C  u32 token width (2 | 4)  u32 padding token
 * 32  tokens [n][L/C], then 0 to 7 zero bytes to a multiple of 8
 *     per sequence: u32 end of its boundaries, u32 real tokens, u32 following token, u32 0
 *     boundaries:   u32 start, u32 first position, u64 sample id
 * </pre>
 */
final class TokenSliceWriter {

  private static final long MAX_LENGTH = Integer.MAX_VALUE - 8;

  private final TokenFormat format;
  private final int chunk;
  private final List<? extends List<TokenSegment>> sequences;

  TokenSliceWriter(TokenFormat format, int chunk, List<? extends List<TokenSegment>> sequences) {
    if (chunk < 0 || chunk >= format.chunks()) {
      throw new InvalidBatchException(
          "There is no chunk " + chunk + " of " + format.chunks() + " chunks.");
    }
    this.format = format;
    this.chunk = chunk;
    this.sequences = sequences;
  }

  ByteBuffer write() {
    int count = sequences.size();
    if (count == 0) {
      return ByteBuffer.allocate(0);
    }
    long tableAt = TokenSlice.tableAt((long) count * format.chunkLength(), format.width());
    long boundaries = sequences.stream().mapToLong(TokenSliceWriter::boundaries).sum();
    long length =
        tableAt
            + (long) TokenSlice.ENTRY_LENGTH * count
            + (long) TokenSlice.BOUNDARY_LENGTH * boundaries;
    if (length > MAX_LENGTH) {
      throw new InvalidBatchException(
          "A slice of "
              + count
              + " x "
              + format.chunkLength()
              + " tokens would take "
              + length
              + " bytes; "
              + MAX_LENGTH
              + " is the most. Put fewer sequences into a slice.");
    }
    ByteBuffer out = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putHeader(out, TokenSlice.MAGIC, TokenSlice.VERSION);
    out.putInt(count).putInt(format.sequenceLength());
    out.putInt(chunk).putInt(format.chunks());
    out.putInt(format.width().bytes()).putInt(format.padToken());
    for (int i = 0; i < count; i++) {
      putTokens(out, sequences.get(i), i);
    }
    out.position((int) tableAt);
    putTable(out);
    for (List<TokenSegment> sequence : sequences) {
      putBoundaries(out, sequence);
    }
    return out.flip();
  }

  private void putTokens(ByteBuffer out, List<TokenSegment> sequence, int number) {
    int from = chunk * format.chunkLength();
    int to = from + format.chunkLength();
    long at = 0;
    for (TokenSegment segment : sequence) {
      int length = segment.length();
      if (length == 0 || at + length > format.sequenceLength()) {
        throw new InvalidBatchException(
            "Sequence "
                + number
                + " of a slice: "
                + length
                + " tokens of sample "
                + Long.toUnsignedString(segment.sampleId())
                + " at "
                + at
                + " of "
                + format.sequenceLength()
                + ". A segment has 1 token or more, and all have the sequence length at most.");
      }
      int first = (int) Math.max(from - at, 0);
      int last = (int) Math.min(to - at, length);
      if (first < last) {
        IntBuffer tokens = segment.tokens().slice();
        put(out, tokens.limit(last).position(first), segment.sampleId());
      }
      at += length;
    }
    for (long k = Math.max(at, from); k < to; k++) {
      putToken(out, format.padToken());
    }
  }

  private void put(ByteBuffer out, IntBuffer tokens, long sampleId) {
    for (int k = tokens.position(); k < tokens.limit(); k++) {
      int token = tokens.get(k);
      if (!format.width().holds(token)) {
        throw new InvalidBatchException(
            "Token "
                + token
                + " of sample "
                + Long.toUnsignedString(sampleId)
                + " does not fit into "
                + format.width().bytes()
                + " bytes.");
      }
      putToken(out, token);
    }
  }

  private void putToken(ByteBuffer out, int token) {
    if (format.width() == TokenWidth.U16) {
      out.putShort((short) token);
    } else {
      out.putInt(token);
    }
  }

  private void putTable(ByteBuffer out) {
    long boundaries = 0;
    for (List<TokenSegment> sequence : sequences) {
      boundaries += boundaries(sequence);
      int real = sequence.stream().mapToInt(TokenSegment::length).sum();
      out.putInt((int) boundaries).putInt(real).putInt(following(sequence)).putInt(0);
    }
  }

  /** The real token behind this chunk in its sequence. */
  private int following(List<TokenSegment> sequence) {
    int at = (chunk + 1) * format.chunkLength();
    if (chunk + 1 == format.chunks()) {
      return TokenSlice.NO_TOKEN;
    }
    for (TokenSegment segment : sequence) {
      if (at < segment.length()) {
        return segment.tokens().get(segment.tokens().position() + at);
      }
      at -= segment.length();
    }
    return TokenSlice.NO_TOKEN;
  }

  private static int boundaries(List<TokenSegment> sequence) {
    int boundaries = 0;
    TokenSegment before = null;
    for (TokenSegment segment : sequence) {
      boundaries += before == null || !segment.continues(before) ? 1 : 0;
      before = segment;
    }
    return boundaries;
  }

  private static void putBoundaries(ByteBuffer out, List<TokenSegment> sequence) {
    int at = 0;
    TokenSegment before = null;
    for (TokenSegment segment : sequence) {
      if (before == null || !segment.continues(before)) {
        out.putInt(at).putInt(segment.firstPosition()).putLong(segment.sampleId());
      }
      at += segment.length();
      before = segment;
    }
  }
}
