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

import static dev.lakestream.consumer.ReaderFixtures.BATCH;
import static dev.lakestream.consumer.ReaderFixtures.ROWS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.Refusal;
import dev.lakestream.store.MemoryStore;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What another mesh than that of the stream makes of slices of each format. */
class TopologyFormatTest {

  @Test
  void aTokenStreamIsReadInChunksOfAnotherNumber() {
    Mesh written = new Mesh(2, 2);
    int length = 16;
    WrittenStream stream =
        new WrittenStream(
                new MemoryStore(), written, "tokens", (step, d, c) -> tokens(step, d, c, 2, length))
            .commit(2, 1);
    for (int cp : new int[] {1, 2, 4, 8}) {
      for (ReaderSettings settings : List.of(ROWS, BATCH)) {
        for (int c = 0; c < cp; c++) {
          RankPosition position = RankPosition.of(2, cp, 1, c);
          try (RankReader reader = RankReader.open(stream.stream(), position, settings)) {
            for (int step = 0; step < 3; step++) {
              Slice slice = reader.next().slice();
              assertThat(slice).isEqualTo(tokens(step, 1, c, cp, length));
            }
          }
        }
      }
    }
    RankPosition odd = RankPosition.of(2, 32, 0, 0);
    try (RankReader reader = RankReader.open(stream.stream(), odd, ROWS)) {
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              MeshMismatchException.class,
              e -> assertThat(e.refusal()).isEqualTo(Refusal.SEQUENCE_DOES_NOT_DIVIDE));
    }
  }

  private static Slice tokens(long step, int d, int c, int chunks, int length) {
    List<List<TokenSegment>> sequences = new ArrayList<>();
    for (int i = 0; i <= d; i++) {
      int[] tokens = new int[length - 3 * i];
      for (int t = 0; t < tokens.length; t++) {
        tokens[t] = (int) (step * 1000 + d * 100 + i * 20 + t);
      }
      sequences.add(List.of(new TokenSegment(step * 10 + i, 0, IntBuffer.wrap(tokens))));
    }
    TokenFormat format = new TokenFormat(length, chunks, TokenWidth.U16, 0);
    return new Slice(TokenSlice.encode(format, c, sequences), sequences.size());
  }

  @Test
  void opaqueSlicesOfNeighbouringChunksAreReadOneAfterTheOtherAndNeverSplit() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(2, 4)).commit(2, 3);
    try (RankReader reader = RankReader.open(written.stream(), RankPosition.of(2, 2, 1, 1), ROWS)) {
      for (int step = 0; step < 5; step++) {
        ByteBuffer joined = ByteBuffer.allocate(200);
        joined.put(WrittenStream.unevenSlice(step, 1, 2).bytes());
        joined.put(WrittenStream.unevenSlice(step, 1, 3).bytes());
        assertThat(reader.next().slice().bytes()).isEqualTo(joined.flip());
      }
    }
    for (ReaderSettings settings : List.of(ROWS, BATCH)) {
      RankPosition finer = RankPosition.of(2, 8, 0, 0);
      try (RankReader reader = RankReader.open(written.stream(), finer, settings)) {
        assertThatThrownBy(reader::next)
            .isInstanceOfSatisfying(
                MeshMismatchException.class,
                e -> assertThat(e.refusal()).isEqualTo(Refusal.NEEDS_RECORDS))
            .hasMessageContaining("Step 0");
      }
    }
  }

  @Test
  void partsOfArrowSlicesAreHandedOutAsTheyAre() {
    WrittenStream written =
        new WrittenStream(
                new MemoryStore(),
                new Mesh(2, 1),
                "arrow",
                (step, d, c) -> Slice.of(new byte[] {(byte) d}, 10))
            .commit(1);
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(3, 1, 1, 0), BATCH)) {
      RankStep step = reader.next();
      assertThat(step.parts()).hasSize(2);
      assertThat(step.parts().get(0).part().fromRecord()).isEqualTo(6);
      assertThat(step.parts().get(0).part().toRecord()).isEqualTo(10);
      assertThat(step.parts().get(1).part().toRecord()).isEqualTo(3);
      assertThat(step.parts().get(1).slice().bytes().get(0)).isEqualTo((byte) 1);
      assertThatThrownBy(step::slice)
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining("parts()");
    }
  }
}
