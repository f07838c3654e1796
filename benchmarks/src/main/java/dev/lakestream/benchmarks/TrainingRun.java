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
package dev.lakestream.benchmarks;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A stream on local disk for the benchmarks that read: slices of one payload, a few percent apart
 * in length, so that sections differ and a rank has to ask where its own is.
 */
final class TrainingRun {

  private TrainingRun() {}

  /** Writes so many steps for so many ranks. */
  static void write(String address, int world, int payload, long steps, StagingSettings staging) {
    Mesh mesh = new Mesh(world, 1);
    byte[] bytes = new byte[payload];
    new SplittableRandom(payload).nextBytes(bytes);
    try (ObjectStore store = Stores.open(address, Map.of("file.sync", "false"))) {
      TrainingStream stream = TrainingStream.openOrCreate(store, StreamInfo.create(mesh, "raw"));
      try (Producer producer =
          Producer.builder(stream, "bench").staging(staging).storeProven().build()) {
        for (long step = 0; step < steps; step++) {
          List<Slice> slices = new ArrayList<>();
          for (int rank = 0; rank < world; rank++) {
            int length = payload - payload / 100 * (int) ((step + rank) % 5);
            slices.add(new Slice(ByteBuffer.wrap(bytes, 0, length), 1));
          }
          producer.append(GlobalBatch.of(mesh, slices), ByteString.EMPTY);
        }
      }
    }
  }
}
