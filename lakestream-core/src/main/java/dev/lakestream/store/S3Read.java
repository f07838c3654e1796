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
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * One read of a range or a suffix. The bytes go into one buffer at positions that the reply's own
 * Content-Range confirms; a body that breaks off is resumed after its last byte, a few times, and
 * only on the same ETag: the caller gets exactly the range of one version of the object, or an
 * error.
 */
final class S3Read {

  /**
   * Not a retry: each of these requests starts where the one before it has made progress. A reply
   * that brings nothing ends the read, and {@link RetryingStore} decides.
   */
  private static final int MAX_RESUMES = 4;

  private final S3AsyncClient client;
  private final S3Faults faults;
  private final String bucket;
  private final String key;
  private final S3Receiver receiver;
  private int resumes;

  private S3Read(
      S3AsyncClient client, S3Faults faults, String bucket, String key, S3Receiver receiver) {
    this.client = client;
    this.faults = faults;
    this.bucket = bucket;
    this.key = key;
    this.receiver = receiver;
  }

  static CompletableFuture<ByteBuffer> range(
      S3AsyncClient client, S3Faults faults, String bucket, String key, long offset, int length) {
    S3Receiver receiver = S3Receiver.ofRange(bucket, key, offset, length);
    return new S3Read(client, faults, bucket, key, receiver)
        .next()
        .thenApply(done -> receiver.bytes());
  }

  static CompletableFuture<Suffix> suffix(
      S3AsyncClient client, S3Faults faults, String bucket, String key, int length) {
    S3Receiver receiver = S3Receiver.ofSuffix(bucket, key, length);
    return new S3Read(client, faults, bucket, key, receiver)
        .next()
        .thenApply(done -> new Suffix(receiver.bytes(), receiver.objectLength()));
  }

  private CompletableFuture<Void> next() {
    GetObjectRequest.Builder request =
        GetObjectRequest.builder().bucket(bucket).key(key).range(receiver.nextRange());
    receiver.etag().ifPresent(request::ifMatch);
    int before = receiver.received();
    return client
        .getObject(request.build(), receiver)
        .exceptionallyCompose(error -> afterFault(error, before));
  }

  private CompletableFuture<Void> afterFault(Throwable error, int before) {
    if (receiver.received() > 0 && S3Faults.status(error) == 412) {
      return CompletableFuture.failedFuture(
          new StoreException(
              Fault.SHORT_REPLY,
              "'%s' in bucket '%s' was replaced while it was read (its ETag changed)."
                  .formatted(key, bucket)));
    }
    StoreException fault = faults.of(error, "read", key);
    boolean progress = receiver.received() > before;
    if (progress && fault.fault().retryable()) {
      if (receiver.etag().isPresent() && resumes++ < MAX_RESUMES) {
        return next();
      }
      return CompletableFuture.failedFuture(
          new StoreException(
              Fault.SHORT_REPLY,
              "The reply with %s ended after %d of %d bytes: %s"
                  .formatted(
                      receiver.what(),
                      receiver.received(),
                      receiver.expected(),
                      fault.getMessage()),
              fault));
    }
    return CompletableFuture.failedFuture(fault);
  }
}
