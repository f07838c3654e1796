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

import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Slices for tests of readers, in formats with records; what they hold follows from their place.
 */
final class SampleSlices {

  /** L of the token slices. */
  static final int SEQUENCE_LENGTH = 24;

  static final int PADDING = 9;

  private SampleSlices() {}

  /** 0 to 5 records that compress well; no slice is like another. */
  static Slice records(long step, int d, int c) {
    Random random = new Random(step * 7919 + d * 131L + c);
    List<ByteBuffer> records = new ArrayList<>();
    int count = random.nextInt(6);
    for (int i = 0; i < count; i++) {
      String text = "step " + step + " slice " + d + "," + c + " record " + i + " ";
      records.add(
          ByteBuffer.wrap(text.repeat(random.nextInt(20)).getBytes(StandardCharsets.UTF_8)));
    }
    return new Slice(RecordSlice.encode(records), count);
  }

  /** Two records. */
  static Slice twoRecords(long step, int d, int c) {
    ByteBuffer record = ByteBuffer.allocate(24).putLong(step).putLong(d).putLong(c).flip();
    return new Slice(RecordSlice.encode(List.of(record, record)), 2);
  }

  /**
   * Chunk {@code c} of the sequences of replica {@code d}: one or two documents each, the last
   * sequence of odd steps all padding. How many there are differs from replica to replica.
   */
  static Slice tokens(long step, int d, int c, Mesh mesh, TokenWidth width) {
    Random random = new Random(step * 7919 + d * 131L);
    TokenFormat format = new TokenFormat(SEQUENCE_LENGTH, mesh.cp(), width, PADDING);
    int count = 1 + (int) ((step + d) % 3);
    List<List<TokenSegment>> sequences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<TokenSegment> sequence = new ArrayList<>();
      if (step % 2 == 0 || i < count - 1) {
        int first = 1 + random.nextInt(SEQUENCE_LENGTH - 4);
        sequence.add(segment(random, step * 100 + i, random.nextInt(50), first));
        if (random.nextBoolean()) {
          sequence.add(
              segment(random, Long.MIN_VALUE + i, 0, random.nextInt(SEQUENCE_LENGTH - first) + 1));
        }
      }
      sequences.add(sequence);
    }
    return new Slice(TokenSlice.encode(format, c, sequences), count);
  }

  /** Chunk {@code c} of three full sequences of small tokens, so that a model can learn them. */
  static Slice text(long step, int d, int c, Mesh mesh) {
    TokenFormat format = new TokenFormat(SEQUENCE_LENGTH, mesh.cp(), TokenWidth.U16, 0);
    List<List<TokenSegment>> sequences = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int begin = (int) (step * 7 + d * 3 + i) % 40;
      int[] tokens =
          IntStream.range(begin, begin + SEQUENCE_LENGTH).map(t -> t % 64 + 32).toArray();
      sequences.add(List.of(new TokenSegment(step * 100 + d * 10 + i, 0, IntBuffer.wrap(tokens))));
    }
    return new Slice(TokenSlice.encode(format, c, sequences), 3);
  }

  private static TokenSegment segment(Random random, long sample, int position, int length) {
    int[] tokens = random.ints(length, 0, 60_000).toArray();
    return new TokenSegment(sample, position, IntBuffer.wrap(tokens));
  }
}
