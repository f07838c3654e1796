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
import java.util.function.Function;
import java.util.function.Supplier;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * One read of a range or a suffix. The bytes go into one buffer at positions that the reply's own
 * Content-Range confirms. Of a body that breaks off the bytes are kept: whoever repeats the read
 * asks for what comes after the last one ({@link PartlyDoneException}), and only on the same ETag.
 * The caller gets exactly the range of one version of the object, or an error.
 */
final class S3Read<T> implements PartlyDoneException.Rest {

  private final S3AsyncClient client;
  private final S3Faults faults;
  private final String bucket;
  private final String key;
  private final S3Receiver receiver;
  private final Supplier<T> result;

  private S3Read(
      S3AsyncClient client,
      S3Faults faults,
      String bucket,
      String key,
      S3Receiver receiver,
      Supplier<T> result) {
    this.client = client;
    this.faults = faults;
    this.bucket = bucket;
    this.key = key;
    this.receiver = receiver;
    this.result = result;
  }

  /**
   * @param observer sees what the buffer gets, of all replies together
   * @param result made of the buffer
   */
  static <T> CompletableFuture<T> range(
      S3AsyncClient client,
      S3Faults faults,
      String bucket,
      String key,
      long offset,
      int length,
      ReadObserver observer,
      Function<ByteBuffer, T> result) {
    S3Receiver receiver = S3Receiver.ofRange(bucket, key, offset, length, observer);
    return new S3Read<>(client, faults, bucket, key, receiver, () -> result.apply(receiver.bytes()))
        .send();
  }

  static CompletableFuture<Suffix> suffix(
      S3AsyncClient client, S3Faults faults, String bucket, String key, int length) {
    S3Receiver receiver = S3Receiver.ofSuffix(bucket, key, length);
    return new S3Read<>(
            client,
            faults,
            bucket,
            key,
            receiver,
            () -> new Suffix(receiver.bytes(), receiver.objectLength()))
        .send();
  }

  /** One request, for all that is still missing. */
  @Override
  public CompletableFuture<T> send() {
    GetObjectRequest.Builder request =
        GetObjectRequest.builder().bucket(bucket).key(key).range(receiver.nextRange());
    receiver.etag().ifPresent(request::ifMatch);
    int before = receiver.received();
    return client
        .getObject(request.build(), receiver)
        .thenApply(done -> result.get())
        .exceptionallyCompose(
            error -> CompletableFuture.failedFuture(failure(error, receiver.received() > before)));
  }

  private StoreException failure(Throwable error, boolean progressed) {
    if (receiver.received() > 0 && S3Faults.status(error) == 412) {
      return new StoreException(
          Fault.SHORT_REPLY,
          "'%s' in bucket '%s' was replaced while it was read (its ETag changed)."
              .formatted(key, bucket));
    }
    StoreException fault = faults.of(error, S3Action.READ, key);
    if (!fault.fault().retryable() || receiver.received() == 0) {
      return fault;
    }
    if (!progressed && fault.fault() == Fault.SHORT_REPLY) {
      return fault; // A reply that does not fit what is there: all of it is to be read anew.
    }
    Fault kind = progressed ? Fault.SHORT_REPLY : fault.fault();
    String told =
        "The reply with %s ended after %d of %d bytes: %s"
            .formatted(
                receiver.what(), receiver.received(), receiver.expected(), fault.getMessage());
    return receiver.etag().isEmpty()
        ? new StoreException(kind, told, fault)
        : new PartlyDoneException(kind, told, fault, progressed, this);
  }
}
