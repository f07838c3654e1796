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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SliceJoinTest {

  private static final int L = 24;

  /** Documents of random lengths, some of which go on from elsewhere, and padding at the end. */
  private static List<List<TokenSegment>> sequences(Random random, int count, TokenWidth width) {
    List<List<TokenSegment>> sequences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<TokenSegment> sequence = new ArrayList<>();
      int left = random.nextInt(L + 1);
      while (left > 0) {
        int length = 1 + random.nextInt(left);
        int[] tokens = random.ints(length, 0, width == TokenWidth.U16 ? 65_536 : 1 << 30).toArray();
        sequence.add(
            new TokenSegment(random.nextLong(), random.nextInt(3), IntBuffer.wrap(tokens)));
        left -= length;
      }
      sequences.add(sequence);
    }
    return sequences;
  }

  @Property(tries = 300)
  void chunksOfAnotherNumberAreThoseThatAWriterWouldHaveWritten(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 3) int count, @ForAll TokenWidth width) {
    List<List<TokenSegment>> sequences = sequences(new Random(seed), count, width);
    int[][] cuts = {
      {1, 1}, {1, 2}, {2, 1}, {2, 4}, {4, 2}, {4, 1}, {3, 6}, {6, 2}, {1, 24}, {12, 3}
    };
    for (int[] cut : cuts) {
      TokenFormat written = new TokenFormat(L, cut[0], width, 7);
      TokenFormat read = new TokenFormat(L, cut[1], width, 7);
      for (int c = 0; c < cut[1]; c++) {
        List<ByteBuffer> chunks = new ArrayList<>();
        int from = -1;
        int to = -1;
        if (cut[0] >= cut[1]) {
          int m = cut[0] / cut[1];
          for (int i = 0; i < m; i++) {
            chunks.add(TokenSlice.encode(written, c * m + i, sequences));
          }
        } else {
          int m = cut[1] / cut[0];
          chunks.add(TokenSlice.encode(written, c / m, sequences));
          from = c % m * read.chunkLength();
          to = from + read.chunkLength();
        }
        // In two parts, as from two replicas; the second may be empty.
        int half = (count + 1) / 2;
        ByteBuffer joined =
            SliceJoin.tokens(
                List.of(
                    new SliceJoin.Sequences(chunks, 0, half, from, to, "first"),
                    new SliceJoin.Sequences(chunks, half, count, from, to, "second")),
                c,
                cut[1]);
        assertThat(joined).isEqualTo(TokenSlice.encode(read, c, sequences));
      }
    }
  }

  @Test
  void recordsOfSeveralSlicesStandInOrder() {
    ByteBuffer first = slice("a", "bb", "", "c");
    ByteBuffer second = slice("d");
    ByteBuffer joined =
        SliceJoin.records(
            List.of(
                new SliceJoin.Records(first, 1, 4, "first"),
                new SliceJoin.Records(ByteBuffer.allocate(0), 0, 0, "none"),
                new SliceJoin.Records(second, 0, 1, "second")));
    assertThat(joined).isEqualTo(slice("bb", "", "c", "d"));
    assertThat(SliceJoin.records(List.of()).remaining()).isZero();
    assertThatThrownBy(() -> SliceJoin.records(List.of(new SliceJoin.Records(second, 0, 2, "it"))))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("it holds 1 records");
  }

  @Test
  void chunksThatDoNotBelongTogetherAreRefused() {
    TokenFormat format = new TokenFormat(L, 2, TokenWidth.U16, 0);
    List<List<TokenSegment>> two = sequences(new Random(1), 2, TokenWidth.U16);
    ByteBuffer one = TokenSlice.encode(format, 0, two);
    for (ByteBuffer other :
        List.of(
            one,
            TokenSlice.encode(format, 1, two.subList(0, 1)),
            TokenSlice.encode(new TokenFormat(L, 2, TokenWidth.U32, 0), 1, two))) {
      SliceJoin.Sequences part =
          new SliceJoin.Sequences(List.of(one, other), 0, 1, -1, -1, "replica 3");
      assertThatThrownBy(() -> SliceJoin.tokens(List.of(part), 0, 1))
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining("replica 3");
    }
  }

  private static ByteBuffer slice(String... records) {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (String record : records) {
      buffers.add(ByteBuffer.wrap(record.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
    }
    return RecordSlice.encode(buffers);
  }
}
