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
package dev.lakestream.retention;

import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.PendingUpload;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A store with uploads in parts that have not ended. */
record UploadingStore(ObjectStore store, List<PendingUpload> uploads) implements ObjectStore {

  @Override
  public CompletableFuture<List<PendingUpload>> pendingUploads(String prefix) {
    return CompletableFuture.completedFuture(
        uploads.stream().filter(upload -> upload.key().startsWith(prefix)).toList());
  }

  @Override
  public CompletableFuture<Void> abort(PendingUpload upload) {
    uploads.remove(upload);
    return CompletableFuture.completedFuture(null);
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
  public void close() {
    store.close();
  }
}
