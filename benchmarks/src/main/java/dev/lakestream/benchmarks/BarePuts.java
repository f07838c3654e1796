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

import dev.lakestream.batch.BundleName;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Puts objects of given sizes, some at once, and sweeps them away. */
final class BarePuts {

  private final ObjectStore store;
  private final Sweeper sweeper;
  private final int atOnce;
  private final UUID owner = UUID.randomUUID();
  private final byte[] bytes = new byte[1 << 20];
  private final Deque<CompletableFuture<Void>> running = new ArrayDeque<>();

  /** Each done when its objects have been written, and are about to be swept away. */
  private final List<CompletableFuture<Void>> groups = new ArrayList<>();

  BarePuts(ObjectStore store, Sweeper sweeper, int atOnce) {
    this.store = store;
    this.sweeper = sweeper;
    this.atOnce = atOnce;
    new SplittableRandom(7).nextBytes(bytes);
  }

  /**
   * Begins all of them; the last ones are still under way. They are swept away together, when all
   * have been written.
   */
  void put(List<Long> sizes) {
    List<String> keys = new ArrayList<>();
    List<CompletableFuture<Void>> puts = new ArrayList<>();
    for (long size : sizes) {
      if (running.size() >= atOnce) {
        Futures.await(running.remove());
      }
      String key = BundleName.create(owner, 0, 0).object(); // Spread over directories alike.
      CompletableFuture<Void> put = store.put(key, payload(size));
      running.add(put);
      puts.add(put);
      keys.add(key);
    }
    groups.add(
        CompletableFuture.allOf(puts.toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> keys.forEach(sweeper::sweep)));
  }

  void await() {
    groups.forEach(Futures::await);
    groups.clear();
    running.clear();
  }

  private Payload payload(long size) {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (long left = size; left > 0; left -= bytes.length) {
      buffers.add(ByteBuffer.wrap(bytes, 0, (int) Math.min(left, bytes.length)));
    }
    return Payload.of(buffers);
  }
}
