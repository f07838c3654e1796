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

import dev.lakestream.store.ForwardingStore;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * A store whose answers begin a while after the question, as an object store's do, and that counts
 * what it sends. Each rank has one of its own, with an address of its own, as ranks that are
 * processes do.
 */
final class SlowReads extends ForwardingStore {

  /** What a listing costs on the wire, about, for each key. */
  private static final int LISTED_BYTES = 300;

  private final String name;
  private final Executor later;
  private final LongAdder requests = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  SlowReads(ObjectStore store, String name, Duration firstByte) {
    super(store);
    this.name = name;
    this.later =
        firstByte.isZero()
            ? Runnable::run
            : CompletableFuture.delayedExecutor(firstByte.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** GETs, HEADs and LISTs so far. */
  long requests() {
    return requests.sum();
  }

  /** Bytes of all answers so far. */
  long bytes() {
    return bytes.sum();
  }

  @Override
  public String address() {
    return super.address() + name;
  }

  private <T> CompletableFuture<T> ask(
      Supplier<CompletableFuture<T>> request, ToLongFunction<T> length) {
    requests.increment();
    return CompletableFuture.supplyAsync(() -> null, later)
        .thenCompose(waited -> request.get())
        .whenComplete(
            (answer, error) -> {
              if (error == null) {
                bytes.add(length.applyAsLong(answer));
              }
            });
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return ask(() -> super.read(key, offset, length), ByteBuffer::remaining);
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return ask(() -> super.readSuffix(key, length), suffix -> suffix.bytes().remaining());
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return ask(() -> super.length(key), length -> 0);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    return ask(
        () -> super.list(prefix, startAfter, limit),
        page -> (long) LISTED_BYTES * page.objects().size());
  }
}
