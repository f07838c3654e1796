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

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ShuffleBufferTest {

  private static final int MANY = 1 << 20;

  @Test
  void outputIsAPermutationThatMixes() {
    int samples = 5_000;
    int bound = 500;
    List<Long> output = run(bound, samples, 7);
    assertThat(output)
        .containsExactlyInAnyOrderElementsOf(LongStream.range(0, samples).boxed().toList())
        .isNotEqualTo(LongStream.range(0, samples).boxed().toList());
    long fixed = 0;
    double displacement = 0;
    for (int at = 0; at < samples; at++) {
      fixed += output.get(at) == at ? 1 : 0;
      displacement += Math.abs(output.get(at) - at);
      assertThat(output.get(at)).isLessThan(at + bound);
    }
    assertThat(fixed).isLessThan(samples / 50);
    assertThat(displacement / samples).isGreaterThan(bound / 2.0);
    assertThat(inversions(output.subList(0, 1000))).isBetween(0.15, 0.6);
  }

  @Test
  void aBufferOverTheWholeInputIsAUniformPermutation() {
    int samples = 10;
    int[][] times = new int[samples][samples];
    for (int seed = 0; seed < 10_000; seed++) {
      List<Long> output = run(samples, samples, seed);
      for (int at = 0; at < samples; at++) {
        times[output.get(at).intValue()][at]++;
      }
    }
    // Binomial with a standard deviation of 30: five of them.
    for (int[] row : times) {
      for (int count : row) {
        assertThat(count).isBetween(850, 1_150);
      }
    }
  }

  @Test
  void sameSeedAndInputGiveTheSameOutput() {
    assertThat(run(100, 1_000, 3)).isEqualTo(run(100, 1_000, 3));
    assertThat(run(100, 1_000, 3)).isNotEqualTo(run(100, 1_000, 4));
  }

  @Test
  void aBufferOfOneKeepsTheOrder() {
    assertThat(run(1, 50, 3)).isEqualTo(LongStream.range(0, 50).boxed().toList());
  }

  @Test
  void bothBoundsHoldAtAnyTime() {
    CountAssembler target = new CountAssembler(new Mesh(1, 1), 1);
    ShuffleBuffer buffer = new ShuffleBuffer(target, 20, 1_000, 9);
    for (int i = 0; i < 500; i++) {
      feed(buffer, Sample.ofBytes(i, ByteBuffer.allocate(i * 37 % 300)));
      assertThat(buffer.pending()).hasSizeLessThanOrEqualTo(20);
      assertThat(buffer.pendingBytes())
          .isLessThanOrEqualTo(1_000)
          .isEqualTo(buffer.pending().stream().mapToLong(Sample::bytes).sum());
    }
  }

  @Test
  void aSampleLargerThanTheBufferGoesPastIt() {
    ShuffleBuffer buffer = new ShuffleBuffer(new CountAssembler(new Mesh(1, 1), 1), 10, 100, 9);
    assertThat(feed(buffer, numbered(1))).isEmpty();
    assertThat(feed(buffer, Sample.ofBytes(2, ByteBuffer.allocate(101)))).hasSize(1);
    assertThat(buffer.pending()).extracting(Sample::id).containsExactly(1L);
  }

  @Test
  void aBadSampleIsRefusedBeforeItGetsIntoACheckpoint() {
    ShuffleBuffer buffer = new ShuffleBuffer(new CountAssembler(new Mesh(1, 1), 1), 10, MANY, 9);
    assertThatThrownBy(() -> buffer.add(Sample.ofTokens(3, 1)))
        .isInstanceOf(InvalidSampleException.class);
    assertThat(buffer.pending()).isEmpty();
  }

  @Test
  void pendingHoldsBufferAndTargetAndAFailedFinishKeepsThem() {
    ShuffleBuffer buffer = new ShuffleBuffer(new CountAssembler(new Mesh(1, 1), 4), 3, MANY, 9);
    for (int i = 0; i < 6; i++) {
      assertThat(feed(buffer, numbered(i))).isEmpty();
    }
    assertThatThrownBy(() -> buffer.finish(RemainderPolicy.FAIL))
        .isInstanceOf(RemainderException.class);
    assertThat(buffer.pending())
        .extracting(Sample::id)
        .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
    assertThat(numbers(buffer.finish(RemainderPolicy.EMIT))).hasSize(6);
  }

  private static List<Long> run(int maxSamples, int samples, long seed) {
    ShuffleBuffer buffer =
        new ShuffleBuffer(new CountAssembler(new Mesh(1, 1), 1), maxSamples, MANY, seed);
    List<GlobalBatch> batches = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      batches.addAll(feed(buffer, numbered(i)));
    }
    batches.addAll(buffer.finish(RemainderPolicy.FAIL));
    return numbers(batches);
  }

  /** The share of pairs that are out of order; 0: as it was, 0.5: random. */
  private static double inversions(List<Long> values) {
    long inverted = 0;
    for (int a = 0; a < values.size(); a++) {
      for (int b = a + 1; b < values.size(); b++) {
        inverted += values.get(a) > values.get(b) ? 1 : 0;
      }
    }
    return inverted * 2.0 / values.size() / (values.size() - 1);
  }
}
