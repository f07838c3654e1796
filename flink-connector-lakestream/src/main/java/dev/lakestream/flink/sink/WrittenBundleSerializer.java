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

/** {@code [i32 subtask][i64 order][bundle]}. */
final class WrittenBundleSerializer implements SimpleVersionedSerializer<WrittenBundle> {

  private static final int VERSION = 1;
  private static final String WHAT = "Lakestream written bundle";

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(WrittenBundle written) {
    StateOutput out = new StateOutput().putInt(written.subtask()).putLong(written.order());
    BundleStates.write(out, written.bundle());
    return out.toBytes();
  }

  @Override
  public WrittenBundle deserialize(int version, byte[] bytes) throws IOException {
    StateInput in = new StateInput(WHAT, version, VERSION, bytes);
    WrittenBundle written =
        new WrittenBundle(in.readInt(), in.readLong(), BundleStates.read(in, WHAT));
    in.end();
    return written;
  }
}
