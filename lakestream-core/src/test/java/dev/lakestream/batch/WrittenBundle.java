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
package dev.lakestream.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.RequestLog;
import dev.lakestream.store.Time;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One bundle in a store, whose every byte tells its slice, and the log of what is read of it. */
final class WrittenBundle {

  static final UUID STREAM = new UUID(1, 2);
  static final String OBJECT = "data/00/x.bundle";
  static final Mesh MESH = new Mesh(2, 2);
  static final int TGBS = 4;

  final MemoryStore objects = new MemoryStore();
  final FaultyStore store = new FaultyStore(objects, Time.SYSTEM);

  /** How many bytes slice r of TGB k has. */
  @FunctionalInterface
  interface Lengths {
    int of(int k, int r);
  }

  /** Slice r of TGB k has {@code length(k, r)} bytes, all of them 16 k + r. */
  StagedBundle write(Lengths lengths) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", Compression.NONE);
    for (int k = 0; k < TGBS; k++) {
      List<Slice> slices = new ArrayList<>();
      for (int r = 0; r < MESH.slices(); r++) {
        byte[] bytes = new byte[lengths.of(k, r)];
        Arrays.fill(bytes, (byte) (16 * k + r));
        slices.add(Slice.of(bytes, k));
      }
      builder.add(GlobalBatch.of(MESH, slices));
    }
    return BundleFixtures.write(store, builder.build(OBJECT, Map.of()));
  }

  /** The bytes of each range that was asked for. */
  List<Long> reads() {
    return store.log().requests().stream()
        .filter(request -> request.op() == Op.READ || request.op() == Op.READ_SUFFIX)
        .map(RequestLog.Request::down)
        .toList();
  }

  BundleReader reader(StagedBundle staged) {
    return BundleReader.of(store, STREAM, staged);
  }

  static void checkContent(RankSection section, int d, int c) {
    for (int k = section.fromTgb(); k < section.toTgb(); k++) {
      Slice slice = section.slice(k);
      assertThat(slice.records()).isEqualTo(k);
      while (slice.bytes().hasRemaining()) {
        assertThat(slice.bytes().get()).isEqualTo((byte) (16 * k + MESH.index(d, c)));
      }
    }
  }
}
