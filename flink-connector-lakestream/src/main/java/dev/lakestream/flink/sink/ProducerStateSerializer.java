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

import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** {@code [stream UUID][producer id][lineage UUID][owner UUID]}. */
final class ProducerStateSerializer implements SimpleVersionedSerializer<ProducerState> {

  private static final int VERSION = 1;
  private static final String WHAT = "Lakestream producer state";

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(ProducerState state) {
    StateOutput out = new StateOutput();
    write(out, state);
    return out.toBytes();
  }

  @Override
  public ProducerState deserialize(int version, byte[] bytes) throws IOException {
    StateInput in = new StateInput(WHAT, version, VERSION, bytes);
    ProducerState state = read(in);
    in.end();
    return state;
  }

  static void write(StateOutput out, ProducerState state) {
    out.putUuid(state.streamId())
        .putString(state.producerId())
        .putUuid(state.lineage())
        .putUuid(state.owner());
  }

  static ProducerState read(StateInput in) throws IOException {
    return new ProducerState(in.readUuid(), in.readString(), in.readUuid(), in.readUuid());
  }
}
