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
package dev.lakestream.assembly;

import static dev.lakestream.assembly.Assemblers.feed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenSlice.Boundary;
import dev.lakestream.batch.slice.TokenWidth;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenPackingAssemblerTest {

  private static final Mesh ONE = new Mesh(1, 1);

  @Test
  void aDocumentGoesWhereTheLeastRoomIsLeft() {
    TokenPackingAssembler assembler = packing(ONE, 10, 2, Packing.BEST_FIT, 0);
    assembler.add(document(1, 4));
    assembler.add(document(2, 7));
    assembler.add(document(3, 3));
    assertThat(assembler.poll()).isEmpty();
    GlobalBatch batch = feed(assembler, document(4, 6)).get(0);
    TokenSlice slice = TokenSlice.decode(batch.slices().get(0).bytes());
    assertThat(slice.boundaries(0)).containsExactly(new Boundary(0, 0, 2), new Boundary(7, 0, 3));
    assertThat(slice.boundaries(1)).containsExactly(new Boundary(0, 0, 1), new Boundary(4, 0, 4));
    assertThat(assembler.statistics()).isEqualTo(new PackingStatistics(2, 20, 0));
    assertThat(assembler.statistics().efficiency()).isEqualTo(1);
  }

  @Test
  void whenNothingFitsTheFullestIsClosed() {
    TokenPackingAssembler assembler = packing(ONE, 10, 1, Packing.BEST_FIT, 1);
    assembler.add(document(1, 6));
    assembler.add(document(2, 8));
    GlobalBatch batch = feed(assembler, document(3, 7)).get(0);
    assertThat(TokenSlice.decode(batch.slices().get(0).bytes()).boundaries(0))
        .containsExactly(new Boundary(0, 0, 2));
    assertThat(assembler.pending()).extracting(Sample::id).containsExactly(1L, 3L);
    assertThat(assembler.statistics().efficiency()).isEqualTo(0.8);
  }

  @Test
  void aSequenceThatNothingFitsIntoIsNotPassedOverForEver() {
    TokenPackingAssembler assembler = packing(ONE, 10, 1, Packing.BEST_FIT, 1);
    assembler.add(document(1, 5));
    int rounds = 0;
    while (assembler.pending().get(0).id() == 1) {
      feed(assembler, document(2, 6));
      assertThat(++rounds).isLessThan(100);
    }
    assertThat(rounds).isGreaterThan(10);
  }

  @Test
  void aLongDocumentIsCutIntoWholeSequencesAndATail() {
    TokenPackingAssembler assembler = packing(new Mesh(2, 1), 4, 1, Packing.BEST_FIT, 0);
    GlobalBatch batch = feed(assembler, document(9, 11)).get(0);
    assertThat(batch.slices())
        .extracting(slice -> TokenSlice.decode(slice.bytes()).boundaries(0))
        .containsExactly(List.of(new Boundary(0, 0, 9)), List.of(new Boundary(0, 4, 9)));
    Sample.Tokens tail = (Sample.Tokens) assembler.pending().get(0);
    assertThat(tail.id()).isEqualTo(9);
    assertThat(tail.firstPosition()).isEqualTo(8);
    assertThat(tail.length()).isEqualTo(3);
    assertThat(assembler.pendingBytes()).isEqualTo(12);
  }

  @Test
  void concatenatingCutsExactlyAtTheLength() {
    TokenPackingAssembler assembler = packing(ONE, 4, 2, Packing.CONCATENATE, 0);
    assembler.add(document(1, 3));
    assembler.add(document(2, 3));
    GlobalBatch batch = feed(assembler, document(3, 4)).get(0);
    TokenSlice slice = TokenSlice.decode(batch.slices().get(0).bytes());
    assertThat(slice.boundaries(0)).containsExactly(new Boundary(0, 0, 1), new Boundary(3, 0, 2));
    assertThat(slice.boundaries(1)).containsExactly(new Boundary(0, 1, 2), new Boundary(2, 0, 3));
    Sample.Tokens rest = (Sample.Tokens) assembler.pending().get(0);
    assertThat(rest.firstPosition()).isEqualTo(2);
    assertThat(rest.length()).isEqualTo(2);
  }

  @Test
  void sequenceIGoesToReplicaIOverSequencesPerReplicaInChunks() {
    TokenPackingAssembler assembler = packing(new Mesh(2, 2), 4, 2, Packing.CONCATENATE, 0);
    GlobalBatch batch = feed(assembler, document(1, 16)).get(0);
    int token = 1;
    for (int d = 0; d < 2; d++) {
      TokenSlice left = TokenSlice.decode(batch.slices().get(batch.mesh().index(d, 0)).bytes());
      TokenSlice right = TokenSlice.decode(batch.slices().get(batch.mesh().index(d, 1)).bytes());
      for (int i = 0; i < 2; i++) {
        assertThat(left.tokens(i)).containsExactly(token++, token++);
        assertThat(right.tokens(i)).containsExactly(token++, token++);
      }
    }
  }

  @Test
  void aLastBatchIsFilledUpWithPaddingAndKeepsItsShape() {
    for (Packing packing : Packing.values()) {
      TokenPackingAssembler assembler = packing(new Mesh(2, 1), 4, 2, packing, 3);
      assembler.add(document(1, 6));
      GlobalBatch last = assembler.finish(RemainderPolicy.EMIT).get(0);
      assertThat(last.slices()).extracting(Slice::records).containsExactly(2, 2);
      assertThat(TokenSlice.decode(last.slices().get(1).bytes()).paddingFrom(1)).isZero();
      assertThat(assembler.statistics()).isEqualTo(new PackingStatistics(4, 6, 10));
      PackedTokens packed = new PackedTokens();
      packed.add(last);
      assertThat(packed.tokens()).isEqualTo(6);
    }
  }

  @Test
  void droppingLosesTheEmptiestSequences() {
    TokenPackingAssembler assembler = packing(ONE, 10, 2, Packing.BEST_FIT, 4);
    assembler.add(document(1, 6));
    assembler.add(document(2, 8));
    assembler.add(document(3, 7));
    List<GlobalBatch> batches = assembler.finish(RemainderPolicy.DROP);
    assertThat(batches).hasSize(1);
    TokenSlice slice = TokenSlice.decode(batches.get(0).slices().get(0).bytes());
    assertThat(slice.boundaries(0).get(0).sampleId()).isEqualTo(2);
    assertThat(slice.boundaries(1).get(0).sampleId()).isEqualTo(3);
    assertThat(assembler.pending()).isEmpty();
    assertThat(assembler.pendingBytes()).isZero();
  }

  @Test
  void failingNamesCountsAndOptionAndChangesNothing() {
    TokenPackingAssembler assembler = packing(new Mesh(2, 1), 10, 2, Packing.BEST_FIT, 4);
    assembler.add(document(1, 6));
    assembler.add(document(2, 8));
    List<Sample> before = assembler.pending();
    assertThatThrownBy(() -> assembler.finish(RemainderPolicy.FAIL))
        .isInstanceOf(RemainderException.class)
        .hasMessageContaining("2 of the 4 sequences")
        .hasMessageContaining("sink.remainder");
    assertThat(assembler.pending()).isEqualTo(before);
    assembler.add(document(3, 8));
    assembler.add(document(4, 8));
    assertThat(assembler.finish(RemainderPolicy.FAIL)).hasSize(1);
  }

  @Test
  void eventTimesReachFromTheEarliestDocumentToTheLatest() {
    TokenPackingAssembler assembler = packing(ONE, 4, 1, Packing.CONCATENATE, 0);
    assembler.add(document(1, 2).at(30));
    assertThat(feed(assembler, document(2, 3).at(10)).get(0).eventTime())
        .isEqualTo(new EventTimeRange(10, 30));
    assertThat(feed(assembler, document(3, 3).at(50)).get(0).eventTime())
        .isEqualTo(new EventTimeRange(10, 50));
  }

  @Test
  void aBadSampleIsRefusedAndNothingChanges() {
    TokenPackingAssembler assembler =
        new TokenPackingAssembler(ONE, 8, 1, 0, TokenWidth.U16, Packing.BEST_FIT, 0);
    assertThatThrownBy(() -> assembler.add(Sample.ofTokens(5, 1, 2, 70_000)))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Token 70000 at position 2 of sample 5")
        .hasMessageContaining("wider");
    assertThatThrownBy(() -> assembler.add(Sample.ofTokens(6, -100)))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Token -100");
    assertThatThrownBy(() -> assembler.add(Assemblers.numbered(7)))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Sample 7");
    assertThat(assembler.pending()).isEmpty();
    assertThat(assembler.pendingBytes()).isZero();
  }

  @Test
  void aConfigurationThatCannotBeIsRefused() {
    assertThatThrownBy(() -> packing(new Mesh(1, 3), 10, 1, Packing.BEST_FIT, 0))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("multiple of the mesh's C");
    assertThatThrownBy(() -> packing(ONE, 10, 0, Packing.BEST_FIT, 0))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("at least 1 sequence");
    assertThatThrownBy(() -> packing(ONE, 10, 1, Packing.BEST_FIT, -1))
        .isInstanceOf(InvalidBatchException.class);
  }

  @Test
  void memoryIsBoundedByTheConfigurationNotByTheInput() {
    TokenPackingAssembler assembler = packing(new Mesh(2, 1), 64, 2, Packing.BEST_FIT, 6);
    for (int i = 0; i < 5_000; i++) {
      feed(assembler, document(i, 1 + i * 31 % 100));
      assertThat(assembler.pendingBytes()).isLessThanOrEqualTo(4L * 64 * (2 * 4 + 6));
    }
  }

  private static TokenPackingAssembler packing(
      Mesh mesh, int length, int sequencesPerReplica, Packing packing, int lookahead) {
    return new TokenPackingAssembler(
        mesh, length, sequencesPerReplica, 0, TokenWidth.U32, packing, lookahead);
  }

  private static Sample document(long id, int length) {
    int[] tokens = new int[length];
    Arrays.setAll(tokens, i -> i + 1);
    return Sample.ofTokens(id, tokens);
  }
}
