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
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.assembly.InvalidSampleException;
import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class IntakeTest {

  private static final Mesh ONE = new Mesh(1, 1);

  private static Intake<byte[]> batches(boolean copy) {
    return new BatchInput<byte[]>(bytes -> GlobalBatch.of(ONE, List.of(Slice.of(bytes, 1))))
        .open(ONE, 0, copy, 1000);
  }

  private static Intake<byte[]> samples(boolean copy, long bufferBytes) {
    return new SampleInput<byte[]>(
            bytes -> Sample.ofBytes(1, ByteBuffer.wrap(bytes)), Assembly.byCount(2), 0, 0)
        .open(ONE, 0, copy, bufferBytes);
  }

  @Test
  void aReusedElementIsCopiedBeforeItsSenderChangesIt() throws Exception {
    byte[] reused = {1};
    Intake<byte[]> intake = batches(true);
    intake.accept(reused, null);
    reused[0] = 2;

    assertThat(intake.poll().orElseThrow().slices().get(0).bytes().get(0)).isEqualTo((byte) 1);
  }

  @Test
  void anElementThatIsNotReusedIsNotCopied() throws Exception {
    byte[] own = {1};
    Intake<byte[]> intake = batches(false);
    intake.accept(own, null);

    assertThat(intake.poll().orElseThrow().slices().get(0).bytes().array()).isSameAs(own);
  }

  @Test
  void aReusedSampleIsCopiedBeforeItsSenderChangesIt() throws Exception {
    byte[] reused = {1};
    Intake<byte[]> intake = samples(true, 1000);
    intake.accept(reused, null);
    reused[0] = 2;
    intake.accept(reused, null);

    RecordSlice slice = RecordSlice.decode(intake.poll().orElseThrow().slices().get(0).bytes());
    assertThat(slice.record(0).get(0)).isEqualTo((byte) 1);
    assertThat(slice.record(1).get(0)).isEqualTo((byte) 2);
  }

  @Test
  void reusedTokensAreCopiedToo() throws Exception {
    int[] reused = {1, 2};
    Intake<int[]> intake =
        new SampleInput<int[]>(
                tokens -> Sample.ofTokens(1, tokens), Assembly.tokenPacking(8, 1), 0, 0)
            .open(ONE, 0, true, 1000);
    intake.accept(reused, null);
    reused[0] = 9;

    assertThat(((Sample.Tokens) intake.pending().get(0)).tokens().get(0)).isEqualTo(1);
  }

  @Test
  void aSampleTakesTheTimeOfItsElementUnlessItHasItsOwn() throws Exception {
    Intake<byte[]> intake = samples(false, 1000);
    intake.accept(new byte[1], 77L);
    assertThat(intake.pending().get(0).eventTime()).hasValue(77);

    Intake<byte[]> untimed = samples(false, 1000);
    untimed.accept(new byte[1], Long.MIN_VALUE);
    assertThat(untimed.pending().get(0).eventTime()).isEmpty();
  }

  @Test
  void samplesBeyondTheMemoryAreRefusedAndTheOptionIsNamed() throws Exception {
    Intake<byte[]> intake = samples(false, 10);
    intake.accept(new byte[6], null);

    assertThatThrownBy(() -> intake.accept(new byte[6], null))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("sink.buffer-memory");
    assertThat(intake.pending()).hasSize(1);
  }

  @Test
  void anotherMeshAndNullAreRefused() {
    Intake<byte[]> wide =
        new BatchInput<byte[]>(bytes -> GlobalBatch.of(ONE, List.of(Slice.of(bytes, 1))))
            .open(new Mesh(4, 1), 0, false, 1000);
    Intake<byte[]> nothing = new BatchInput<byte[]>(bytes -> null).open(ONE, 0, false, 1000);

    assertThatThrownBy(() -> wide.accept(new byte[1], null))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("a mesh of 1x1")
        .hasMessageContaining("4x1");
    assertThatThrownBy(() -> nothing.accept(new byte[1], null))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("returned null");
  }

  @Test
  void aBatchOfZeroSamplesIsRefused() {
    Intake<byte[]> intake =
        new BatchInput<byte[]>(bytes -> GlobalBatch.of(ONE, List.of(Slice.of(bytes, 0))))
            .open(ONE, 0, false, 1000);

    assertThatThrownBy(() -> intake.accept(new byte[0], null))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("a batch of zero samples");
    assertThat(intake.poll()).isEmpty();
  }

  @Test
  void aShuffleLosesAndDoublesNothing() throws Exception {
    Intake<byte[]> intake =
        new SampleInput<byte[]>(
                bytes -> Sample.ofBytes(bytes[0], ByteBuffer.wrap(bytes)),
                Assembly.byCount(1),
                8,
                42)
            .open(ONE, 0, false, 1000);
    List<Byte> out = new java.util.ArrayList<>();
    for (byte i = 0; i < 50; i++) {
      intake.accept(new byte[] {i}, null);
      intake.poll().ifPresent(batch -> out.add(first(batch)));
    }
    intake.finish(RemainderPolicy.EMIT).forEach(batch -> out.add(first(batch)));

    assertThat(out)
        .hasSize(50)
        .doesNotHaveDuplicates()
        .isNotEqualTo(out.stream().sorted().toList());
  }

  private static byte first(GlobalBatch batch) {
    return RecordSlice.decode(batch.slices().get(0).bytes()).record(0).get(0);
  }
}
