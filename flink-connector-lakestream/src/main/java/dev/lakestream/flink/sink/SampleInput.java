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

import dev.lakestream.assembly.BatchAssembler;
import dev.lakestream.assembly.InvalidSampleException;
import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.assembly.Sample;
import dev.lakestream.assembly.ShuffleBuffer;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Elements that are samples, which each writer assembles to batches.
 *
 * @param shuffleBuffer samples in the buffer of a seeded shuffle; 0: no shuffle
 */
record SampleInput<IN>(
    SampleMapper<IN> mapper, Assembly assembly, int shuffleBuffer, long shuffleSeed)
    implements Input<IN> {

  private static final long serialVersionUID = 1L;

  @Override
  public Intake<IN> open(Mesh stated, int subtask, boolean copy, long bufferBytes) {
    BatchAssembler assembler = assembly.assembler(stated);
    return new SampleIntake(
        shuffleBuffer == 0
            ? assembler
            : new ShuffleBuffer(
                assembler, shuffleBuffer, Math.max(1, bufferBytes / 2), shuffleSeed + subtask),
        copy,
        bufferBytes);
  }

  private final class SampleIntake implements Intake<IN> {

    private final BatchAssembler assembler;
    private final boolean copy;
    private final long bufferBytes;

    SampleIntake(BatchAssembler assembler, boolean copy, long bufferBytes) {
      this.assembler = assembler;
      this.copy = copy;
      this.bufferBytes = bufferBytes;
    }

    @Override
    public void accept(IN element, Long timestamp) throws Exception {
      Sample sample = mapper.map(element);
      if (sample == null) {
        throw new InvalidSampleException(
            "The sample mapper returned null. Filter such elements out before the sink.");
      }
      if (assembler.pendingBytes() + sample.bytes() > bufferBytes) {
        throw new InvalidSampleException(
            "The samples of an incomplete batch take "
                + assembler.pendingBytes()
                + " bytes, and sample "
                + Sample.idText(sample.id())
                + " another "
                + sample.bytes()
                + ": more than sink.buffer-memory ("
                + bufferBytes
                + " bytes). Raise it, or make batches, the lookahead or the shuffle buffer smaller.");
      }
      Sample owned = copy ? copyOf(sample) : sample;
      boolean undated = owned.eventTime().isEmpty() && timestamp != null;
      assembler.add(undated && timestamp != Long.MIN_VALUE ? owned.at(timestamp) : owned);
    }

    private Sample copyOf(Sample sample) {
      if (sample instanceof Sample.Tokens tokens) {
        int[] copy = new int[tokens.length()];
        tokens.tokens().get(copy);
        return new Sample.Tokens(
            tokens.id(),
            tokens.eventTime(),
            tokens.firstPosition(),
            IntBuffer.wrap(copy),
            tokens.attributes());
      }
      Sample.Bytes bytes = (Sample.Bytes) sample;
      return new Sample.Bytes(
          bytes.id(), bytes.eventTime(), Input.copyOf(bytes.payload()), bytes.attributes());
    }

    @Override
    public Optional<GlobalBatch> poll() {
      return assembler.poll();
    }

    @Override
    public void restore(List<Sample> samples) {
      samples.forEach(assembler::add);
    }

    @Override
    public List<Sample> pending() {
      return assembler.pending();
    }

    @Override
    public long pendingBytes() {
      return assembler.pendingBytes();
    }

    @Override
    public List<GlobalBatch> finish(RemainderPolicy policy) {
      return assembler.finish(policy);
    }
  }
}
