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

import dev.lakestream.batch.GlobalBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A seeded shuffle over a bounded buffer, in front of another assembler. While there is no room for
 * a sample that comes, one drawn from the buffer at random goes on; so a sample may leave fewer
 * than {@code maxSamples} places before its turn, and any time after.
 *
 * <p>The same seed and the same input give the same output. The samples in the buffer are part of
 * {@link #pending()}. The state of the random sequence is not: after a restore the order differs
 * from that of a run without failure, and the samples are the same.
 */
public final class ShuffleBuffer implements BatchAssembler {

  private final BatchAssembler target;
  private final int maxSamples;
  private final long maxBytes;
  private final long seed;
  private final List<Sample> buffer = new ArrayList<>();
  private long bufferBytes;
  private long draws;

  /**
   * @param target where the samples go in their new order
   * @param maxSamples how many samples the buffer holds between calls, 1 or more; 1 does not
   *     shuffle
   * @param maxBytes how many bytes of content it holds; a sample above this goes past the buffer
   * @param seed another one for each writer, or they all draw alike
   */
  public ShuffleBuffer(BatchAssembler target, int maxSamples, long maxBytes, long seed) {
    if (maxSamples < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "A shuffle buffer of " + maxSamples + " samples and " + maxBytes + " bytes.");
    }
    this.target = target;
    this.maxSamples = maxSamples;
    this.maxBytes = maxBytes;
    this.seed = seed;
  }

  @Override
  public void add(Sample sample) {
    target.check(sample);
    if (sample.bytes() > maxBytes) {
      target.add(sample);
      return;
    }
    while (buffer.size() == maxSamples || bufferBytes + sample.bytes() > maxBytes) {
      forward();
    }
    buffer.add(sample);
    bufferBytes += sample.bytes();
  }

  private void forward() {
    int at = SplitMix.below(buffer.size(), SplitMix.at(seed, draws++));
    Sample drawn = buffer.get(at);
    target.add(drawn);
    Sample last = buffer.remove(buffer.size() - 1);
    if (at < buffer.size()) {
      buffer.set(at, last);
    }
    bufferBytes -= drawn.bytes();
  }

  @Override
  public void check(Sample sample) {
    target.check(sample);
  }

  @Override
  public Optional<GlobalBatch> poll() {
    return target.poll();
  }

  @Override
  public List<Sample> pending() {
    List<Sample> pending = new ArrayList<>(target.pending());
    pending.addAll(buffer);
    return pending;
  }

  @Override
  public long pendingBytes() {
    return target.pendingBytes() + bufferBytes;
  }

  @Override
  public List<GlobalBatch> finish(RemainderPolicy policy) {
    while (!buffer.isEmpty()) {
      forward();
    }
    return target.finish(policy);
  }
}
