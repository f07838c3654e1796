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

import static dev.lakestream.assembly.Assemblers.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.TokenWidth;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class BatchAttributesTest {

  private static final Map<String, String> NONE = Map.of();

  @Test
  void aBatchHasWhatItsSamplesSayTogetherAndTheNextOneItsOwn() {
    CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 1);
    assembler.add(numbered(0).with(Map.of("run", "a", "x", "1")));
    assembler.add(numbered(1).with(Map.of("run", "a", "y", "2")));
    assembler.add(numbered(2).with(Map.of("run", "b")));
    assembler.add(numbered(3));
    assembler.add(numbered(4));
    assertThat(assembler.finish(RemainderPolicy.EMIT))
        .extracting(GlobalBatch::attributes)
        .containsExactly(Map.of("run", "a", "x", "1", "y", "2"), Map.of("run", "b"), NONE);
  }

  @Test
  void samplesOfOneBatchThatContradictEachOtherAreRefusedAndNothingChanges() {
    CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 1);
    assembler.add(numbered(7).with(Map.of("run", "a")));
    assertThatThrownBy(() -> assembler.add(numbered(8).with(Map.of("new", "z", "run", "b"))))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("attribute \"run\"")
        .hasMessageContaining("sample 7 says \"a\"")
        .hasMessageContaining("sample 8 of the same batch \"b\"")
        .hasMessageContaining("the same value, or none");
    assertThat(assembler.pending()).hasSize(1);
    assembler.add(numbered(9));
    assertThat(assembler.poll().orElseThrow().attributes()).isEqualTo(Map.of("run", "a"));
  }

  @Test
  void placedSamplesBelongToTheBatchThatTheirSliceComesInto() {
    SliceEncoder byId =
        new SliceEncoder() {
          @Override
          public ByteBuffer encode(List<Sample.Bytes> samples) {
            return samples.get(0).payload();
          }

          @Override
          public OptionalInt sliceOf(Sample.Bytes sample) {
            return OptionalInt.of((int) (sample.id() % 2));
          }
        };
    CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 1, byId, true);
    assembler.add(numbered(0).with(Map.of("run", "a")));
    assembler.add(numbered(2).with(Map.of("run", "b")));
    assembler.add(numbered(1));
    assembler.add(numbered(3).with(Map.of("run", "b")));
    assertThat(assembler.poll().orElseThrow().attributes()).isEqualTo(Map.of("run", "a"));
    assertThat(assembler.poll().orElseThrow().attributes()).isEqualTo(Map.of("run", "b"));
  }

  @Test
  void documentsThatArePackedIntoOneBatchSayTheSame() {
    TokenPackingAssembler agreeing = packing();
    agreeing.add(Sample.ofTokens(1, 1, 2).with(Map.of("run", "a")));
    agreeing.add(Sample.ofTokens(2, 3, 4));
    assertThat(agreeing.poll().orElseThrow().attributes()).isEqualTo(Map.of("run", "a"));

    TokenPackingAssembler contradicting = packing();
    contradicting.add(Sample.ofTokens(1, 1, 2).with(Map.of("run", "a")));
    contradicting.add(Sample.ofTokens(2, 3, 4).with(Map.of("run", "b")));
    assertThatThrownBy(contradicting::poll)
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("\"a\"")
        .hasMessageContaining("\"b\"");
  }

  private static TokenPackingAssembler packing() {
    return new TokenPackingAssembler(
        new Mesh(1, 1), 4, 1, 0, TokenWidth.U16, Packing.CONCATENATE, 0);
  }
}
