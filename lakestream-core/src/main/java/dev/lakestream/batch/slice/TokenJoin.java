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
import java.util.List;

/** Token slices of another number of chunks, made of neighbouring chunks or of a part of one. */
final class TokenJoin {

  private static final long MAX_LENGTH = Integer.MAX_VALUE - 8;

  private TokenJoin() {}

  /** Consecutive sequences of one replica. */
  record Run(List<TokenSlice> chunks, int from, int to, int fromColumn, int toColumn) {

    static Run of(SliceJoin.Sequences part) {
      List<TokenSlice> chunks = new ArrayList<>();
      for (ByteBuffer chunk : part.chunks()) {
        TokenSlice decoded = TokenSlice.decode(chunk, part.what());
        SliceJoin.requireHeld(part.from(), part.to(), decoded.count(), part.what());
        TokenSlice first = chunks.isEmpty() ? decoded : chunks.get(0);
        if (!decoded.format().equals(first.format())
            || decoded.count() != first.count()
            || decoded.chunk() != first.chunk() + chunks.size()) {
          throw new CorruptObjectException(
              part.what()
                  + ": chunks of "
                  + first.count()
                  + " and of "
                  + decoded.count()
                  + " sequences ("
                  + first.format()
                  + ", "
                  + decoded.format()
                  + ") do not belong together.");
        }
        chunks.add(decoded);
      }
      int width = chunks.get(0).format().chunkLength();
      return part.fromColumn() < 0
          ? new Run(chunks, part.from(), part.to(), 0, width)
          : new Run(chunks, part.from(), part.to(), part.fromColumn(), part.toColumn());
    }

    TokenFormat format() {
      return chunks.get(0).format();
    }

    int columns() {
      return (toColumn - fromColumn) * chunks.size();
    }

    private TokenSlice last() {
      return chunks.get(chunks.size() - 1);
    }

    /** The real token behind what is taken of sequence {@code i}. */
    int following(int i) {
      TokenSlice last = last();
      int width = format().chunkLength();
      if (toColumn == width) {
        return last.followingToken(i);
      }
      return last.chunk() * width + toColumn < last.paddingFrom(i)
          ? last.token(i, toColumn)
          : TokenSlice.NO_TOKEN;
    }
  }

  static ByteBuffer write(List<Run> runs, int chunk, int chunks) {
    TokenFormat stored = runs.get(0).format();
    TokenFormat format =
        new TokenFormat(stored.sequenceLength(), chunks, stored.width(), stored.padToken());
    long count = 0;
    long boundaries = 0;
    for (Run run : runs) {
      if (!run.format().equals(stored) || run.columns() != format.chunkLength()) {
        throw new CorruptObjectException(
            "Sequences of "
                + stored
                + " and of "
                + run.format()
                + " cannot be put together to chunks of "
                + format.chunkLength()
                + " tokens.");
      }
      count += run.to() - run.from();
      for (int i = run.from(); i < run.to(); i++) {
        boundaries += run.chunks().get(0).boundaryCount(i);
      }
    }
    long tableAt = TokenSlice.tableAt(count * format.chunkLength(), format.width());
    long length =
        tableAt + TokenSlice.ENTRY_LENGTH * count + TokenSlice.BOUNDARY_LENGTH * boundaries;
    if (length > MAX_LENGTH) {
      throw new InvalidBatchException(
          "A slice of "
              + count
              + " sequences would take "
              + length
              + " bytes: take the parts of the step one by one.");
    }
    ByteBuffer out = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putHeader(out, TokenSlice.MAGIC, TokenSlice.VERSION);
    out.putInt((int) count).putInt(format.sequenceLength()).putInt(chunk).putInt(chunks);
    out.putInt(format.width().bytes()).putInt(format.padToken());
    for (Run run : runs) {
      for (int i = run.from(); i < run.to(); i++) {
        for (TokenSlice part : run.chunks()) {
          out.put(part.tokenBytes(i, run.fromColumn(), run.toColumn()));
        }
      }
    }
    out.position((int) tableAt);
    putTable(out, runs);
    for (Run run : runs) {
      TokenSlice first = run.chunks().get(0);
      for (int i = run.from(); i < run.to(); i++) {
        out.put(first.boundaryBytes(i));
      }
    }
    return out.flip();
  }

  private static void putTable(ByteBuffer out, List<Run> runs) {
    int end = 0;
    for (Run run : runs) {
      TokenSlice first = run.chunks().get(0);
      for (int i = run.from(); i < run.to(); i++) {
        end += first.boundaryCount(i);
        out.putInt(end).putInt(first.paddingFrom(i)).putInt(run.following(i)).putInt(0);
      }
    }
  }
}
