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
package dev.lakestream.flink.source;

import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * {@code [stream UUID][version][commit UUID][next step][bound: kind, number][end, -1: not
 * settled][splits: version, n, splits{n}]}.
 */
final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {

  private static final int VERSION = 1;
  private static final String WHAT = "Lakestream enumerator state";

  private final BundleSplitSerializer splits = new BundleSplitSerializer();

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(EnumeratorState state) {
    StateOutput out = new StateOutput();
    out.putUuid(state.position().streamId())
        .putLong(state.position().version())
        .putUuid(state.position().commitId())
        .putLong(state.position().nextStep())
        .putString(state.bound().kind().name())
        .putLong(state.bound().number())
        .putLong(state.end().orElse(-1))
        .putInt(splits.getVersion())
        .putInt(state.pending().size());
    state.pending().forEach(split -> out.putBytes(splits.serialize(split)));
    return out.toBytes();
  }

  @Override
  public EnumeratorState deserialize(int version, byte[] bytes) throws IOException {
    StateInput in = new StateInput(WHAT, version, VERSION, bytes);
    StreamPosition position =
        new StreamPosition(in.readUuid(), in.readLong(), in.readUuid(), in.readLong());
    BoundedMode bound = new BoundedMode(kind(in.readString()), in.readLong());
    long end = in.readLong();
    // The splits' own version: theirs may change when this one does not.
    int splitVersion = in.readInt();
    int count = in.readCount(BundleSplitSerializer.LEAST_BYTES);
    List<BundleSplit> pending = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      pending.add(splits.deserialize(splitVersion, in.readBytes()));
    }
    in.end();
    return new EnumeratorState(
        position, bound, end < 0 ? OptionalLong.empty() : OptionalLong.of(end), pending);
  }

  private static BoundedMode.Kind kind(String name) throws IOException {
    try {
      return BoundedMode.Kind.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IOException(WHAT + " names an unknown bound: " + name + ".", e);
    }
  }
}
