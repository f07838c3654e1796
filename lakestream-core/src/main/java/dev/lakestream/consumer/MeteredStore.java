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
package dev.lakestream.consumer;

import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a reader asks of bundles. Closing it closes nothing. */
final class MeteredStore implements ObjectStore {

  private final ObjectStore store;
  private final LongAdder requests = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  MeteredStore(ObjectStore store) {
    this.store = store;
  }

  long requests() {
    return requests.sum();
  }

  long bytes() {
    return bytes.sum();
  }

  @Override
  public String address() {
    return store.address();
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    if (length > 0) {
      requests.increment();
    }
    return store
        .read(key, offset, length)
        .whenComplete((read, error) -> bytes.add(read == null ? 0 : read.remaining()));
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    requests.increment();
    return store
        .readSuffix(key, length)
        .whenComplete((read, error) -> bytes.add(read == null ? 0 : read.bytes().remaining()));
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    requests.increment();
    return store.length(key);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    requests.increment();
    return store.list(prefix, startAfter, limit);
  }

  @Override
  public long throttles() {
    return store.throttles();
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    throw new UnsupportedOperationException("A reader writes nothing.");
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    throw new UnsupportedOperationException("A reader writes nothing.");
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    throw new UnsupportedOperationException("A reader deletes nothing.");
  }

  @Override
  public void close() {}
}
