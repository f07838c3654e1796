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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A correct store in memory. Its futures are complete when a call returns, so that a deterministic
 * schedule can drive it.
 */
public final class MemoryStore implements ObjectStore {

  private final String address;
  private final Time time;
  private final TreeMap<String, Content> objects = new TreeMap<>(Keys.ORDER);

  public MemoryStore() {
    this("mem://test", Time.SYSTEM);
  }

  public MemoryStore(String address, Time time) {
    this.address = address;
    this.time = time;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    return now(
        () -> {
          Keys.check(address, key);
          if (objects.containsKey(key)) {
            return CreateOutcome.EXISTS;
          }
          objects.put(key, content(content));
          return CreateOutcome.CREATED;
        });
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return now(
        () -> {
          objects.put(Keys.check(address, key), content(content));
          return null;
        });
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return now(
        () -> {
          if (offset < 0 || length < 0) {
            throw new StoreException(Fault.INVALID, "No range: " + offset + ", " + length);
          }
          if (length == 0) {
            return ByteBuffer.allocate(0);
          }
          byte[] bytes = existing(key).bytes;
          if (offset > bytes.length - (long) length) {
            throw new StoreException(
                Fault.OUT_OF_RANGE,
                "'%s' at %s has %d bytes; %d from %d on were asked for."
                    .formatted(key, address, bytes.length, length, offset));
          }
          return copy(bytes, (int) offset, length);
        });
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return now(
        () -> {
          byte[] bytes = existing(key).bytes;
          int taken = Math.min(length, bytes.length);
          return new Suffix(copy(bytes, bytes.length - taken, taken), bytes.length);
        });
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return now(() -> (long) existing(key).bytes.length);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    return now(
        () -> {
          List<Listing.Entry> page = new ArrayList<>();
          boolean skip = Keys.ORDER.compare(startAfter, prefix) >= 0;
          for (Map.Entry<String, Content> object :
              (skip ? objects.tailMap(startAfter, false) : objects.tailMap(prefix)).entrySet()) {
            if (!object.getKey().startsWith(prefix)) {
              break;
            }
            if (page.size() == limit) {
              return new Listing(page, true);
            }
            Content content = object.getValue();
            page.add(
                new Listing.Entry(object.getKey(), content.bytes.length, content.lastModified));
          }
          return new Listing(page, false);
        });
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return now(
        () -> {
          objects.remove(Keys.check(address, key));
          return null;
        });
  }

  @Override
  public void close() {
    // Tests look at what was stored after the code under test has closed its store.
  }

  /** All keys, in order. */
  public synchronized List<String> keys() {
    return List.copyOf(objects.keySet());
  }

  /** The bytes of an object, or null. */
  public synchronized byte[] bytes(String key) {
    Content content = objects.get(key);
    return content == null ? null : content.bytes.clone();
  }

  @Override
  public String toString() {
    return "MemoryStore[" + address + "]";
  }

  private Content existing(String key) {
    Content content = objects.get(Keys.check(address, key));
    if (content == null) {
      throw new StoreException(Fault.MISSING, "There is no object '" + key + "' at " + address);
    }
    return content;
  }

  private Content content(Payload payload) {
    byte[] bytes = new byte[Math.toIntExact(payload.length())];
    ByteBuffer target = ByteBuffer.wrap(bytes);
    payload.buffers().forEach(target::put);
    return new Content(bytes, time.currentTimeMillis());
  }

  private static ByteBuffer copy(byte[] bytes, int offset, int length) {
    ByteBuffer copy = ByteBuffer.allocate(length);
    return copy.put(bytes, offset, length).flip();
  }

  private synchronized <T> CompletableFuture<T> now(Supplier<T> request) {
    try {
      return CompletableFuture.completedFuture(request.get());
    } catch (StoreException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private record Content(byte[] bytes, long lastModified) {}
}
