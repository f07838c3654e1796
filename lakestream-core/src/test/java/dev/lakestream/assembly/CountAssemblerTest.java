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
import static dev.lakestream.assembly.Assemblers.numbered;
import static dev.lakestream.assembly.Assemblers.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class CountAssemblerTest {

  @Test
  void sampleIGoesToReplicaIOverSamplesPerSlice() {
    CountAssembler assembler = new CountAssembler(new Mesh(3, 1), 2);
    for (int i = 0; i < 5; i++) {
      assertThat(feed(assembler, numbered(i))).isEmpty();
    }
    GlobalBatch batch = feed(assembler, numbered(5)).get(0);
    assertThat(batch.slices())
        .extracting(Assemblers::numbers)
        .containsExactly(List.of(0L, 1L), List.of(2L, 3L), List.of(4L, 5L));
    assertThat(batch.slices()).extracting(Slice::records).containsOnly(2);
    assertThat(assembler.pending()).isEmpty();
    assertThat(assembler.pendingBytes()).isZero();
  }

  @Test
  void aMeshWithChunksIsRefusedWithTheRemedy() {
    assertThatThrownBy(() -> new CountAssembler(new Mesh(2, 2), 4))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("2x2")
        .hasMessageContaining("token packing");
    assertThatThrownBy(() -> new CountAssembler(new Mesh(2, 1), 0))
        .isInstanceOf(InvalidBatchException.class);
  }

  @Test
  void tokensAreRefusedAndNothingChanges() {
    CountAssembler assembler = new CountAssembler(new Mesh(1, 1), 2);
    assertThatThrownBy(() -> assembler.add(Sample.ofTokens(17, 1, 2)))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Sample 17");
    assertThat(assembler.pending()).isEmpty();
  }

  @Test
  void aSampleThatOverfillsItsSliceIsRefusedBeforeItIsAccepted() {
    CountAssembler assembler = new CountAssembler(new Mesh(1, 1), 100);
    ByteBuffer shared = ByteBuffer.allocate(64 << 20);
    for (int i = 0; i < 31; i++) {
      assembler.add(Sample.ofBytes(i, shared));
    }
    assertThatThrownBy(() -> assembler.add(Sample.ofBytes(31, shared)))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Sample 31")
        .hasMessageContaining("fewer than 100");
    assertThat(assembler.pending()).hasSize(31);
  }

  @Test
  void threeRowsForEightRanksLeaveTheOthersEmptySlices() {
    CountAssembler assembler = new CountAssembler(new Mesh(8, 1), 1);
    for (int i = 0; i < 3; i++) {
      assembler.add(numbered(i));
    }
    GlobalBatch last = assembler.finish(RemainderPolicy.EMIT).get(0);
    assertThat(last.slices()).extracting(Slice::records).containsExactly(1, 1, 1, 0, 0, 0, 0, 0);
    assertThat(last.slices().get(3).bytes().remaining()).isZero();
    assertThat(assembler.pending()).isEmpty();
  }

  @Test
  void droppingKeepsFullBatchesOnly() {
    CountAssembler assembler = new CountAssembler(new Mesh(4, 1), 1);
    for (int i = 0; i < 101; i++) {
      assembler.add(numbered(i));
    }
    assertThat(numbers(assembler.finish(RemainderPolicy.DROP)))
        .isEqualTo(LongStream.range(0, 100).boxed().toList());
    assertThat(assembler.pendingBytes()).isZero();
  }

  @Test
  void failingNamesCountsAndOptionAndChangesNothing() {
    CountAssembler assembler = new CountAssembler(new Mesh(4, 1), 2);
    for (int i = 0; i < 11; i++) {
      assembler.add(numbered(i));
    }
    assertThatThrownBy(() -> assembler.finish(RemainderPolicy.FAIL))
        .isInstanceOf(RemainderException.class)
        .hasMessageContaining("3 of the 8 samples")
        .hasMessageContaining("sink.remainder");
    assertThat(assembler.pending()).hasSize(11);
    assertThat(numbers(assembler.finish(RemainderPolicy.EMIT))).hasSize(11);
  }

  @Test
  void nothingLeftOverIsNoRemainder() {
    for (RemainderPolicy policy : RemainderPolicy.values()) {
      CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 1);
      assertThat(assembler.finish(policy)).isEmpty();
      assertThatThrownBy(() -> assembler.add(numbered(1)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void eventTimesAreTheirRangeOrUnknown() {
    CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 1);
    assembler.add(numbered(0).at(20));
    GlobalBatch known = feed(assembler, numbered(1).at(-10)).get(0);
    assertThat(known.eventTime()).isEqualTo(new EventTimeRange(-10, 20));
    assembler.add(numbered(2));
    GlobalBatch unknown = feed(assembler, numbered(3).at(5)).get(0);
    assertThat(unknown.eventTime()).isNull();
  }

  @Property(tries = 100)
  void everySampleIsInOneBatchWhateverIsRestoredWhere(
      @ForAll @IntRange(min = 1, max = 4) int dp,
      @ForAll @IntRange(min = 1, max = 5) int samplesPerSlice,
      @ForAll @IntRange(max = 120) int samples,
      @ForAll long seed) {
    Random random = new Random(seed);
    List<CountAssembler> writers = writers(1, dp, samplesPerSlice);
    List<GlobalBatch> batches = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      batches.addAll(feed(writers.get(random.nextInt(writers.size())), numbered(i)));
      if (random.nextInt(10) == 0) {
        List<Sample> state = new ArrayList<>();
        writers.forEach(writer -> state.addAll(writer.pending()));
        Collections.shuffle(state, random);
        writers = writers(1 + random.nextInt(4), dp, samplesPerSlice);
        for (Sample sample : state) {
          Sample restored = SampleCodec.decode(ByteBuffer.wrap(SampleCodec.encode(sample)));
          batches.addAll(feed(writers.get(random.nextInt(writers.size())), restored));
        }
      }
    }
    assertThat(batches)
        .allSatisfy(batch -> assertThat(batch.records()).isEqualTo((long) dp * samplesPerSlice));
    writers.forEach(writer -> batches.addAll(writer.finish(RemainderPolicy.EMIT)));
    assertThat(numbers(batches))
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, samples).boxed().toList());
  }

  private static List<CountAssembler> writers(int count, int dp, int samplesPerSlice) {
    List<CountAssembler> writers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      writers.add(new CountAssembler(new Mesh(dp, 1), samplesPerSlice));
    }
    return writers;
  }

  @Test
  void chunksHoldSamplesInOrderWhenAnEncoderAllowsThem() {
    CountAssembler assembler = new CountAssembler(new Mesh(2, 2), 1, SliceEncoder.RECORDS, false);
    for (int i = 0; i < 3; i++) {
      assertThat(feed(assembler, numbered(i))).isEmpty();
    }
    assertThat(feed(assembler, numbered(3)).get(0).slices())
        .extracting(Assemblers::numbers)
        .containsExactly(List.of(0L), List.of(1L), List.of(2L), List.of(3L));
  }

  @Test
  void placedSamplesGoWhereTheyAskForAndWaitForTheOthers() {
    CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 2, new ByParity(), true);
    for (int i : new int[] {0, 2, 4, 6, 1}) {
      assertThat(feed(assembler, numbered(i))).isEmpty();
    }
    assertThat(feed(assembler, numbered(3)).get(0).slices())
        .extracting(Assemblers::numbers)
        .containsExactly(List.of(0L, 2L), List.of(1L, 3L));
    assertThat(assembler.pending()).hasSize(2);
    assertThat(assembler.finish(RemainderPolicy.EMIT).get(0).slices())
        .extracting(Assemblers::numbers)
        .containsExactly(List.of(4L, 6L), List.of());
  }

  @Test
  void aSampleThatAsksForASliceOutsideOfTheMeshIsRefused() {
    CountAssembler assembler = new CountAssembler(new Mesh(2, 1), 2, new ByParity(), true);
    assertThatThrownBy(() -> assembler.add(numbered(7)))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("slice number 9")
        .hasMessageContaining("2x1");
  }

  /** Sample 7 asks for a slice that there is not. */
  private static final class ByParity implements SliceEncoder {
    @Override
    public ByteBuffer encode(List<Sample.Bytes> samples) {
      return RECORDS.encode(samples);
    }

    @Override
    public OptionalInt sliceOf(Sample.Bytes sample) {
      return OptionalInt.of(sample.id() == 7 ? 9 : (int) (sample.id() % 2));
    }
  }
}
