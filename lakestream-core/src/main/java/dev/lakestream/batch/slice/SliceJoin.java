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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Makes one slice of parts of several: what a rank reads whose mesh is not that of the batch. */
public final class SliceJoin {

  private SliceJoin() {}

  /**
   * Some records of a slice.
   *
   * @param to exclusive
   */
  public record Records(ByteBuffer slice, int from, int to, String what) {}

  /** A slice of all these records, in their order; empty for none. Copies each record once. */
  public static ByteBuffer records(List<Records> parts) {
    List<ByteBuffer> records = new ArrayList<>();
    for (Records part : parts) {
      RecordSlice slice = RecordSlice.decode(part.slice(), part.what());
      requireHeld(part.from(), part.to(), slice.count(), part.what());
      records.addAll(slice.records().subList(part.from(), part.to()));
    }
    return RecordSlice.encode(records);
  }

  /** The bytes of these slices, one after the other. */
  public static ByteBuffer bytes(List<ByteBuffer> slices) {
    long length = slices.stream().mapToLong(ByteBuffer::remaining).sum();
    if (length > Integer.MAX_VALUE - 8) {
      throw new InvalidBatchException(
          "Slices of "
              + length
              + " bytes together do not fit into one buffer: take the parts of the step one by one.");
    }
    ByteBuffer joined = ByteBuffer.allocate((int) length);
    slices.forEach(slice -> joined.put(slice.duplicate()));
    return joined.flip();
  }

  /**
   * Some sequences of one replica.
   *
   * @param chunks its neighbouring chunks, in order; of a single one some columns can be taken
   * @param from the first sequence
   * @param to exclusive
   * @param fromColumn of the chunk; all columns if negative
   * @param toColumn exclusive
   */
  public record Sequences(
      List<ByteBuffer> chunks, int from, int to, int fromColumn, int toColumn, String what) {}

  /**
   * A slice of all these sequences, in their order, as chunk {@code chunk} of {@code chunks}; empty
   * for none. Copies each token once.
   *
   * @throws CorruptObjectException if the chunks of a replica do not belong together
   */
  public static ByteBuffer tokens(List<Sequences> parts, int chunk, int chunks) {
    List<TokenJoin.Run> runs = new ArrayList<>();
    for (Sequences part : parts) {
      if (part.from() < part.to()) {
        runs.add(TokenJoin.Run.of(part));
      }
    }
    return runs.isEmpty() ? ByteBuffer.allocate(0) : TokenJoin.write(runs, chunk, chunks);
  }

  static void requireHeld(int from, int to, int held, String what) {
    if (from < 0 || from > to || to > held) {
      throw new CorruptObjectException(
          what + " holds " + held + " records; " + from + " to " + to + " were to be taken.");
    }
  }
}
