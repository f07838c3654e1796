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

import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import java.util.List;
import java.util.Optional;

/** Elements that are global batches. */
record BatchInput<IN>(BatchMapper<IN> mapper) implements Input<IN> {

  private static final long serialVersionUID = 1L;

  @Override
  public Intake<IN> open(Mesh stated, int subtask, boolean copy, long bufferBytes) {
    return new BatchIntake(stated, copy);
  }

  private final class BatchIntake implements Intake<IN> {

    private final Mesh stated;
    private final boolean copy;
    private GlobalBatch next;

    BatchIntake(Mesh stated, boolean copy) {
      this.stated = stated;
      this.copy = copy;
    }

    @Override
    public void accept(IN element, Long timestamp) throws Exception {
      GlobalBatch batch = mapper.map(element);
      if (batch == null) {
        throw new InvalidBatchException(
            "The batch mapper returned null. Filter such elements out before the sink.");
      }
      if (stated != null && !stated.equals(batch.mesh())) {
        throw new InvalidBatchException(
            "An element is a batch for a mesh of "
                + batch.mesh()
                + ", and the sink was built for "
                + stated
                + ". Make batches of that mesh, or build the sink without one to write several.");
      }
      if (batch.records() == 0) {
        throw new InvalidBatchException(
            "An element is a batch of zero samples: its "
                + batch.mesh().slices()
                + " slices state 0 records. Filter empty batches out before the sink, or state in"
                + " each slice how many records its bytes hold.");
      }
      next = copy ? copyOf(batch) : batch;
    }

    private GlobalBatch copyOf(GlobalBatch batch) {
      List<Slice> slices =
          batch.slices().stream()
              .map(slice -> new Slice(Input.copyOf(slice.bytes()), slice.records()))
              .toList();
      return new GlobalBatch(batch.mesh(), slices, batch.eventTime(), batch.attributes());
    }

    @Override
    public Optional<GlobalBatch> poll() {
      Optional<GlobalBatch> polled = Optional.ofNullable(next);
      next = null;
      return polled;
    }

    @Override
    public void restore(List<Sample> samples) {
      throw new StateMismatchException(
          "The restored state holds "
              + samples.size()
              + " samples that wait for their batch, and the sink now takes whole batches. Let the"
              + " old job end with stop-with-savepoint --drain first.");
    }

    @Override
    public List<Sample> pending() {
      return List.of();
    }

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public List<GlobalBatch> finish(RemainderPolicy policy) {
      return List.of();
    }
  }
}
