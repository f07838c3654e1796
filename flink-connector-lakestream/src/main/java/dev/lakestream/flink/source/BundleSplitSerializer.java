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

import dev.lakestream.LakestreamException;
import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import dev.lakestream.manifest.BundleDescriptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * {@code [descriptor, as the stream's format has it][runs: n, (from, to){n}][to TGB][next: TGB,
 * rank, u64 record]}.
 */
final class BundleSplitSerializer implements SimpleVersionedSerializer<BundleSplit> {

  private static final int VERSION = 1;
  private static final String WHAT = "Lakestream split";

  /** What the shortest split takes in the state of another object. */
  static final int LEAST_BYTES = 40;

  @Override
  public int getVersion() {
    return VERSION;
  }

  @Override
  public byte[] serialize(BundleSplit split) {
    StateOutput out = new StateOutput();
    write(out, split);
    return out.toBytes();
  }

  @Override
  public BundleSplit deserialize(int version, byte[] bytes) throws IOException {
    StateInput in = new StateInput(WHAT, version, VERSION, bytes);
    BundleSplit split = read(in);
    in.end();
    return split;
  }

  static void write(StateOutput out, BundleSplit split) {
    out.putBytes(split.bundle().toBytes()).putInt(split.ranks().runs().size());
    for (RankSet.Run run : split.ranks().runs()) {
      out.putInt(run.from()).putInt(run.to());
    }
    SlicePosition next = split.next();
    out.putInt(split.toTgb()).putInt(next.tgb()).putInt(next.rank()).putLong(next.record());
  }

  static BundleSplit read(StateInput in) throws IOException {
    try {
      BundleDescriptor bundle = BundleDescriptor.fromBytes(in.readBytes(), WHAT);
      int count = in.readCount(2 * Integer.BYTES);
      List<RankSet.Run> runs = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        runs.add(new RankSet.Run(in.readInt(), in.readInt()));
      }
      int toTgb = in.readInt();
      SlicePosition next = new SlicePosition(in.readInt(), in.readInt(), in.readLong());
      return new BundleSplit(bundle, new RankSet(runs), toTgb, next);
    } catch (LakestreamException | IllegalArgumentException e) {
      throw new IOException(WHAT + " states what cannot be: " + e.getMessage(), e);
    }
  }
}
