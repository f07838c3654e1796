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
package dev.lakestream.store;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code mem://name/prefix}: stores by name, shared by everything in the JVM (a MiniCluster job and
 * its test). A test may {@link #install} one that fails on purpose, before or while others use it.
 */
public final class MemoryStores implements StoreProvider {

  private static final Map<String, ObjectStore> STORES = new ConcurrentHashMap<>();

  /** The store of this name; a plain {@link MemoryStore} unless another one was installed. */
  public static ObjectStore named(String name) {
    return STORES.computeIfAbsent(name, n -> new MemoryStore("mem://" + n, Time.SYSTEM));
  }

  /** Puts a store under the name; whoever has opened the name uses it from the next request on. */
  public static <S extends ObjectStore> S install(String name, S store) {
    STORES.put(name, store);
    return store;
  }

  /** Puts a {@link FaultyStore} around what is there. */
  public static FaultyStore makeFaulty(String name) {
    return install(name, new FaultyStore(named(name), Time.SYSTEM));
  }

  public static void remove(String name) {
    STORES.remove(name);
  }

  @Override
  public Set<String> schemes() {
    return Set.of("mem");
  }

  @Override
  public ObjectStore open(StreamAddress address, Map<String, String> options) {
    String prefix = address.path().isEmpty() ? "" : address.path() + "/";
    return new View(address.toString(), address.authority(), prefix);
  }

  /** The objects of a named store below a prefix. */
  private record View(String address, String name, String prefix) implements ObjectStore {

    @Override
    public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
      return named(name).createIfAbsent(prefix + key, content);
    }

    @Override
    public CompletableFuture<Void> put(String key, Payload content) {
      return named(name).put(prefix + key, content);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
      return named(name).read(prefix + key, offset, length);
    }

    @Override
    public CompletableFuture<Suffix> readSuffix(String key, int length) {
      return named(name).readSuffix(prefix + key, length);
    }

    @Override
    public CompletableFuture<Long> length(String key) {
      return named(name).length(prefix + key);
    }

    @Override
    public CompletableFuture<Listing> list(String keyPrefix, String startAfter, int limit) {
      String after = startAfter.isEmpty() ? "" : prefix + startAfter;
      return named(name).list(prefix + keyPrefix, after, limit).thenApply(this::relative);
    }

    @Override
    public CompletableFuture<Void> delete(String key) {
      return named(name).delete(prefix + key);
    }

    @Override
    public void close() {
      // The named store outlives those who opened it.
    }

    private Listing relative(Listing page) {
      List<Listing.Entry> entries =
          page.objects().stream()
              .map(
                  entry ->
                      new Listing.Entry(
                          entry.key().substring(prefix.length()),
                          entry.length(),
                          entry.lastModified()))
              .toList();
      return new Listing(entries, page.truncated());
    }
  }
}
