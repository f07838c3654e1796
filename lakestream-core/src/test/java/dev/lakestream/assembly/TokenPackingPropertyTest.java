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

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.TokenWidth;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Random documents through random assemblers, which are stopped at random points and restored with
 * another number of instances, each sample to any of them.
 */
class TokenPackingPropertyTest {

  private static final int PAD = 0;

  @Property(tries = 400)
  void everyTokenIsThereOnceWhateverIsRestoredWhere(
      @ForAll @IntRange(min = 1, max = 3) int dp,
      @ForAll @IntRange(min = 1, max = 3) int cp,
      @ForAll @IntRange(min = 1, max = 8) int chunkLength,
      @ForAll @IntRange(min = 1, max = 3) int sequencesPerReplica,
      @ForAll @IntRange(max = 5) int lookahead,
      @ForAll Packing packing,
      @ForAll TokenWidth width,
      @ForAll boolean shuffled,
      @ForAll @IntRange(max = 60) int documentCount,
      @ForAll long seed) {
    Random random = new Random(seed);
    int length = cp * chunkLength;
    List<int[]> documents = documents(random, documentCount, length);
    PackedTokens packed = new PackedTokens();
    Writers writers =
        new Writers(
            () -> {
              BatchAssembler packer =
                  new TokenPackingAssembler(
                      new Mesh(dp, cp),
                      length,
                      sequencesPerReplica,
                      PAD,
                      width,
                      packing,
                      lookahead);
              return shuffled ? new ShuffleBuffer(packer, 7, 4L * 5 * length, seed) : packer;
            },
            random);
    boolean restored = false;
    for (int id = 0; id < documentCount; id++) {
      writers.add(Sample.ofTokens(id, documents.get(id))).forEach(packed::add);
      if (random.nextInt(12) == 0) {
        restored = true;
        writers.restore(1 + random.nextInt(4)).forEach(packed::add);
      }
      if (packing == Packing.CONCATENATE) {
        assertThat(packed.padding()).isZero();
      }
    }
    writers.finish().forEach(packed::add);
    packed.assertAreExactly(documents);
    if (packing == Packing.BEST_FIT) {
      for (int id = 0; id < documentCount; id++) {
        assertThat(packed.segments(id))
            .isLessThanOrEqualTo((documents.get(id).length + length - 1) / length);
      }
    } else if (!restored) {
      assertThat(packed.padding()).isLessThan((long) dp * sequencesPerReplica * length);
    }
  }

  @Property(tries = 50)
  void theSameInputGivesTheSameBatches(
      @ForAll Packing packing, @ForAll @IntRange(max = 60) int documentCount, @ForAll long seed) {
    List<int[]> documents = documents(new Random(seed), documentCount, 12);
    List<List<GlobalBatch>> runs = new ArrayList<>();
    for (boolean pollsAlways : new boolean[] {true, false}) {
      TokenPackingAssembler assembler =
          new TokenPackingAssembler(new Mesh(2, 2), 12, 1, PAD, TokenWidth.U16, packing, 2);
      List<GlobalBatch> batches = new ArrayList<>();
      for (int id = 0; id < documentCount; id++) {
        Sample sample = Sample.ofTokens(id, documents.get(id));
        if (pollsAlways) {
          batches.addAll(feed(assembler, sample));
        } else {
          assembler.add(sample);
        }
      }
      batches.addAll(assembler.finish(RemainderPolicy.EMIT));
      runs.add(batches);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1));
  }

  /** Mostly short ones, some about as long as a sequence, some of many sequences. */
  private static List<int[]> documents(Random random, int count, int sequenceLength) {
    List<int[]> documents = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      int longest =
          switch (random.nextInt(6)) {
            case 0 -> 6 * sequenceLength;
            case 1 -> sequenceLength + 1;
            default -> Math.max(1, sequenceLength / 2);
          };
      int[] tokens = new int[1 + random.nextInt(longest)];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = 1 + random.nextInt(65_535);
      }
      documents.add(tokens);
    }
    return documents;
  }

  /** As many assemblers as there are writers, and what a checkpoint and a restore do to them. */
  private static final class Writers {
    private final java.util.function.Supplier<BatchAssembler> factory;
    private final Random random;
    private List<BatchAssembler> assemblers;

    Writers(java.util.function.Supplier<BatchAssembler> factory, Random random) {
      this.factory = factory;
      this.random = random;
      this.assemblers = List.of(factory.get());
    }

    List<GlobalBatch> add(Sample sample) {
      BatchAssembler assembler = assemblers.get(random.nextInt(assemblers.size()));
      List<GlobalBatch> batches = feed(assembler, sample);
      assertThat(assembler.pendingBytes())
          .isEqualTo(assembler.pending().stream().mapToLong(Sample::bytes).sum());
      return batches;
    }

    List<GlobalBatch> restore(int count) {
      List<byte[]> state = new ArrayList<>();
      for (BatchAssembler assembler : assemblers) {
        assembler.pending().forEach(sample -> state.add(SampleCodec.encode(sample)));
      }
      Collections.shuffle(state, random);
      assemblers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        assemblers.add(factory.get());
      }
      List<GlobalBatch> batches = new ArrayList<>();
      state.forEach(bytes -> batches.addAll(add(SampleCodec.decode(ByteBuffer.wrap(bytes)))));
      return batches;
    }

    List<GlobalBatch> finish() {
      List<GlobalBatch> batches = new ArrayList<>();
      for (BatchAssembler assembler : assemblers) {
        batches.addAll(assembler.finish(RemainderPolicy.EMIT));
        assertThat(assembler.pending()).isEmpty();
        assertThat(assembler.pendingBytes()).isZero();
      }
      return batches;
    }
  }
}
