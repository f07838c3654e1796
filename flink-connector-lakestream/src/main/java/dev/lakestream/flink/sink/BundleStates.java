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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import dev.lakestream.manifest.BundleDescriptor;
import java.io.IOException;

/**
 * Staged bundles in state: the stream format's own descriptor, without place and producer, so that
 * the two never drift apart.
 */
final class BundleStates {

  private BundleStates() {}

  static void write(StateOutput out, StagedBundle bundle) {
    // What is 0 or empty takes no bytes in the descriptor.
    out.putBytes(new BundleDescriptor(bundle, 0, 0, "", 0).toBytes());
  }

  static StagedBundle read(StateInput in, String what) throws IOException {
    try {
      return BundleDescriptor.fromBytes(in.readBytes(), what).bundle();
    } catch (LakestreamException e) {
      throw new IOException(what + " holds a bundle that cannot be decoded: " + e.getMessage(), e);
    }
  }
}
