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

import dev.lakestream.store.ForwardingStore;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.ReadObserver;
import dev.lakestream.store.ReadObserver.Observed;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Counts what a reader asks of bundles. Closing it closes nothing. */
final class MeteredStore extends ForwardingStore {

  private final LongAdder requests = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  MeteredStore(ObjectStore store) {
    super(store);
  }

  long requests() {
    return requests.sum();
  }

  long bytes() {
    return bytes.sum();
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    countRequest(length);
    return super.read(key, offset, length)
        .whenComplete((read, error) -> bytes.add(read == null ? 0 : read.remaining()));
  }

  @Override
  public <O extends ReadObserver> CompletableFuture<Observed<O>> readObserved(
      String key, long offset, int length, Supplier<O> observer) {
    countRequest(length);
    return forwardObserved(key, offset, length, observer)
        .whenComplete((read, error) -> bytes.add(read == null ? 0 : read.bytes().remaining()));
  }

  private void countRequest(int length) {
    if (length > 0) {
      requests.increment();
    }
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    requests.increment();
    return super.readSuffix(key, length)
        .whenComplete((read, error) -> bytes.add(read == null ? 0 : read.bytes().remaining()));
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    requests.increment();
    return super.length(key);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    requests.increment();
    return super.list(prefix, startAfter, limit);
  }

  @Override
  public void close() {}
}
