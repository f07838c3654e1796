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
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.ReadObserver;
import dev.lakestream.store.StoreProvider;
import dev.lakestream.store.Stores;
import dev.lakestream.store.StreamAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * {@code logged://name/…}: the store at the address that the option {@value #TARGET} states, or at
 * the path as a local one, with a log of the ranges of bundles that are read.
 */
public final class LoggedStores implements StoreProvider {

  static final String TARGET = "logged.target";

  private static final Map<String, Log> LOGS = new ConcurrentHashMap<>();

  /** A request for a range. */
  record Range(String key, long offset, int length) {}

  /** What was read from a store, by everything in the JVM. */
  static final class Log {
    private final List<Range> ranges = new ArrayList<>();
    private long read;
    private int running;
    private int mostRunning;

    private synchronized void begin(Range range) {
      if (range.key().startsWith("data/")) {
        ranges.add(range);
      }
      mostRunning = Math.max(mostRunning, ++running);
    }

    private synchronized void end(Range range) {
      read += range.key().startsWith("data/") ? range.length() : 0;
      running--;
    }

    synchronized void clear() {
      ranges.clear();
      read = 0;
      mostRunning = 0;
    }

    /** In the order in which they were asked for. */
    synchronized List<Range> ranges() {
      return List.copyOf(ranges);
    }

    /** Bytes of the ranges that have been answered. */
    synchronized long read() {
      return read;
    }

    synchronized long bytes() {
      return ranges.stream().mapToLong(Range::length).sum();
    }

    /** The most requests that were under way at once. */
    synchronized int mostRunning() {
      return mostRunning;
    }
  }

  static Log log(String name) {
    return LOGS.computeIfAbsent(name, unused -> new Log());
  }

  @Override
  public Set<String> schemes() {
    return Set.of("logged");
  }

  @Override
  public ObjectStore open(StreamAddress address, Map<String, String> options) {
    StreamAddress target = StreamAddress.parse(options.getOrDefault(TARGET, "/" + address.path()));
    return new Logged(Stores.openBare(target, options), log(address.authority()));
  }

  private static final class Logged extends ForwardingStore {

    private final Log log;

    Logged(ObjectStore store, Log log) {
      super(store);
      this.log = log;
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
      Range range = new Range(key, offset, length);
      log.begin(range);
      return super.read(key, offset, length).whenComplete((bytes, failure) -> log.end(range));
    }

    @Override
    public <O extends ReadObserver> CompletableFuture<ReadObserver.Observed<O>> readObserved(
        String key, long offset, int length, Supplier<O> observer) {
      Range range = new Range(key, offset, length);
      log.begin(range);
      return forwardObserved(key, offset, length, observer)
          .whenComplete((read, failure) -> log.end(range));
    }
  }
}
