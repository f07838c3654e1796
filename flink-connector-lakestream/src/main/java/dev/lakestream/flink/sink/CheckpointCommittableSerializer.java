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

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** {@code [producer state][i64 checkpoint id][i32 count][bundle]…}. */
final class CheckpointCommittableSerializer
    implements SimpleVersionedSerializer<CheckpointCommittable> {

  private static final int VERSION = 1;
  private static final String WHAT = "Lakestream committable";

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(CheckpointCommittable committable) {
    StateOutput out = new StateOutput();
    ProducerStateSerializer.write(out, committable.producer());
    out.putLong(committable.checkpointId()).putInt(committable.bundles().size());
    committable.bundles().forEach(bundle -> BundleStates.write(out, bundle));
    return out.toBytes();
  }

  @Override
  public CheckpointCommittable deserialize(int version, byte[] bytes) throws IOException {
    StateInput in = new StateInput(WHAT, version, VERSION, bytes);
    ProducerState producer = ProducerStateSerializer.read(in);
    long checkpointId = in.readLong();
    int count = in.readCount(Integer.BYTES);
    List<StagedBundle> bundles = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      bundles.add(BundleStates.read(in, WHAT));
    }
    in.end();
    return new CheckpointCommittable(producer, checkpointId, bundles);
  }
}
