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

import dev.lakestream.store.ForwardingStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.PendingUpload;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A store with uploads in parts that have not ended. */
final class UploadingStore extends ForwardingStore {

  private final List<PendingUpload> uploads;

  UploadingStore(ObjectStore store, List<PendingUpload> uploads) {
    super(store);
    this.uploads = uploads;
  }

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
}
