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

import dev.lakestream.assembly.Sample;
import dev.lakestream.assembly.SampleCodec;
import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** {@code [stream UUID][i32 count][i32 length, sample]…}. */
final class WriterStateSerializer implements SimpleVersionedSerializer<WriterState> {

  private static final int VERSION = 1;
  private static final String WHAT = "Lakestream writer state";

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(WriterState state) {
    StateOutput out = new StateOutput().putUuid(state.streamId()).putInt(state.samples().size());
    state.samples().forEach(sample -> out.putBytes(SampleCodec.encode(sample)));
    return out.toBytes();
  }

  @Override
  public WriterState deserialize(int version, byte[] bytes) throws IOException {
    StateInput in = new StateInput(WHAT, version, VERSION, bytes);
    UUID streamId = in.readUuid();
    int count = in.readCount(Integer.BYTES);
    List<Sample> samples = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      samples.add(SampleCodec.decode(ByteBuffer.wrap(in.readBytes())));
    }
    in.end();
    return new WriterState(streamId, samples);
  }
}
