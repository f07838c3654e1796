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

import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Objects in memory, with a log of the reads. */
final class HeapStore implements ObjectStore {

  final Map<String, byte[]> objects = new HashMap<>();
  final List<String> reads = new ArrayList<>();

  /** The next so many reads fail, retryably. */
  int failures;

  static byte[] bytes(Payload payload) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (ByteBuffer buffer : payload.buffers()) {
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      out.writeBytes(bytes);
    }
    return out.toByteArray();
  }

  /** Writes the bundle; returns what is staged then. */
  StagedBundle write(BundleBuilder.Bundle bundle) {
    objects.put(bundle.staged().object(), bytes(bundle.payload()));
    return bundle.staged();
  }

  @Override
  public String address() {
    return "heap:";
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    reads.add(offset + "+" + length);
    byte[] object = objects.get(key);
    if (failures > 0) {
      failures--;
      return failed(Fault.TRANSIENT, key);
    }
    if (object == null) {
      return failed(Fault.MISSING, key);
    }
    if (length == 0) {
      throw new AssertionError("A read of no bytes of " + key + " at " + offset);
    }
    if (offset < 0 || offset + length > object.length) {
      return failed(Fault.OUT_OF_RANGE, key);
    }
    return CompletableFuture.completedFuture(
        ByteBuffer.wrap(Arrays.copyOfRange(object, (int) offset, (int) offset + length)));
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    reads.add("-" + length);
    byte[] object = objects.get(key);
    if (object == null) {
      return failed(Fault.MISSING, key);
    }
    int from = Math.max(0, object.length - length);
    return CompletableFuture.completedFuture(
        new Suffix(
            ByteBuffer.wrap(Arrays.copyOfRange(object, from, object.length)), object.length));
  }

  private static <T> CompletableFuture<T> failed(Fault fault, String key) {
    return CompletableFuture.failedFuture(new StoreException(fault, fault + ": " + key));
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
