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

import dev.lakestream.store.ReadObserver.Observed;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Hands every request on to another store; subclasses change some of them. */
public abstract class ForwardingStore implements ObjectStore {

  private final ObjectStore store;

  protected ForwardingStore(ObjectStore store) {
    this.store = store;
  }

  @Override
  public String address() {
    return store.address();
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    return store.createIfAbsent(key, content);
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return store.put(key, content);
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return store.read(key, offset, length);
  }

  /**
   * The store's own {@link #readObserved}, for subclasses that change both kinds of reads alike.
   * The inherited one goes through {@link #read}, so that whoever changes that alone changes both.
   */
  protected final <O extends ReadObserver> CompletableFuture<Observed<O>> forwardObserved(
      String key, long offset, int length, Supplier<O> observer) {
    return store.readObserved(key, offset, length, observer);
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return store.readSuffix(key, length);
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return store.length(key);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    return store.list(prefix, startAfter, limit);
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return store.delete(key);
  }

  @Override
  public long throttles() {
    return store.throttles();
  }

  @Override
  public CompletableFuture<List<PendingUpload>> pendingUploads(String prefix) {
    return store.pendingUploads(prefix);
  }

  @Override
  public CompletableFuture<Void> abort(PendingUpload upload) {
    return store.abort(upload);
  }

  @Override
  public void close() {
    store.close();
  }
}
