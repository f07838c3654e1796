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
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * Writes a large object in parts, a few at a time, from the buffers that hold it. The object
 * appears when the last request succeeds. When parts fail with a retryable {@link Fault}, whoever
 * repeats the write sends these only ({@link PartlyDoneException}). On any other failure the parts
 * are removed; should that fail, they cost money until a lifecycle rule of the bucket removes
 * incomplete uploads.
 */
final class S3Upload {

  private static final Logger LOG = LoggerFactory.getLogger(S3Upload.class);

  private static final int PARALLEL = 4;

  /**
   * Bytes of a buffer at most that is handed to the client: it copies what lies on the heap into a
   * direct buffer of the same size, which comes from its pool only if it is small.
   */
  private static final int PIECE = 256 << 10;

  private final S3AsyncClient client;
  private final S3Settings settings;
  private final S3Faults faults;
  private final String bucket;
  private final String key;
  private final UploadParts parts;

  /** Those that are not there and not under way. */
  private final Queue<Integer> left = new ConcurrentLinkedQueue<>();

  /** Of the attempt under way: a permanent one, if there is one. */
  private final AtomicReference<StoreException> failure = new AtomicReference<>();

  private final AtomicReferenceArray<CompletedPart> completed;

  S3Upload(
      S3AsyncClient client,
      S3Settings settings,
      S3Faults faults,
      String bucket,
      String key,
      Payload content) {
    this.client = client;
    this.settings = settings;
    this.faults = faults;
    this.bucket = bucket;
    this.key = key;
    this.parts = new UploadParts(content, settings.partSize());
    this.completed = new AtomicReferenceArray<>(parts.count());
    for (int part = 0; part < parts.count(); part++) {
      left.add(part);
    }
  }

  /** The bytes where they are: no copy of all is made. */
  static AsyncRequestBody body(List<ByteBuffer> buffers) {
    List<ByteBuffer> pieces = new ArrayList<>();
    for (ByteBuffer buffer : buffers) {
      for (ByteBuffer rest = buffer.slice(); rest.hasRemaining(); rest = rest.slice()) {
        int length = Math.min(PIECE, rest.remaining());
        pieces.add(rest.slice(0, length));
        rest.position(length);
      }
    }
    return AsyncRequestBody.fromRemainingByteBuffersUnsafe(pieces.toArray(ByteBuffer[]::new));
  }

  /** As S3 wants it in a header. */
  static String crc32c(List<ByteBuffer> buffers) {
    CRC32C crc = new CRC32C();
    buffers.forEach(buffer -> crc.update(buffer.duplicate()));
    byte[] value = ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();
    return Base64.getEncoder().encodeToString(value);
  }

  CompletableFuture<Void> run() {
    CreateMultipartUploadRequest.Builder request =
        CreateMultipartUploadRequest.builder().bucket(bucket).key(key);
    settings.encryption().ifPresent(request::serverSideEncryption);
    settings.kmsKeyId().ifPresent(request::ssekmsKeyId);
    if (settings.checksums()) {
      request.checksumAlgorithm(ChecksumAlgorithm.CRC32_C);
    }
    return client
        .createMultipartUpload(request.build())
        .thenCompose(begun -> run(begun.uploadId()));
  }

  /** One attempt at all parts that are not there yet. */
  private CompletableFuture<Void> run(String uploadId) {
    failure.set(null);
    int before = left.size();
    List<CompletableFuture<Void>> lanes = new ArrayList<>();
    for (int lane = 0; lane < Math.min(PARALLEL, before); lane++) {
      lanes.add(lane(uploadId));
    }
    return CompletableFuture.allOf(lanes.toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            done -> {
              StoreException fault = failure.get();
              return fault == null
                  ? complete(uploadId).exceptionallyCompose(error -> abort(uploadId, error))
                  : failed(uploadId, fault, left.size() < before);
            });
  }

  private CompletableFuture<Void> failed(
      String uploadId, StoreException fault, boolean progressed) {
    if (!fault.fault().retryable()) {
      return abort(uploadId, fault);
    }
    return CompletableFuture.failedFuture(
        new PartlyDoneException(
            fault.fault(),
            "%d of %d parts are not written: %s"
                .formatted(left.size(), parts.count(), fault.getMessage()),
            fault,
            progressed,
            new PartlyDoneException.Rest() {
              @Override
              public CompletableFuture<Void> send() {
                return run(uploadId);
              }

              @Override
              public CompletableFuture<Void> abandon() {
                return remove(uploadId);
              }
            }));
  }

  /** Sends one part after the other, until none is left or any has failed. */
  private CompletableFuture<Void> lane(String uploadId) {
    Integer part = failure.get() == null ? left.poll() : null;
    return part == null
        ? CompletableFuture.completedFuture(null)
        : send(uploadId, part).thenCompose(done -> lane(uploadId));
  }

  private CompletableFuture<Void> send(String uploadId, int part) {
    List<ByteBuffer> bytes = parts.bytes(part);
    int number = part + 1;
    UploadPartRequest.Builder request =
        UploadPartRequest.builder().bucket(bucket).key(key).uploadId(uploadId).partNumber(number);
    request.contentLength(bytes.stream().mapToLong(ByteBuffer::remaining).sum());
    String crc = settings.checksums() ? crc32c(bytes) : null;
    if (crc != null) {
      request.checksumCRC32C(crc);
    }
    return client
        .uploadPart(request.build(), body(bytes))
        .thenAccept(
            sent ->
                completed.set(
                    part,
                    CompletedPart.builder()
                        .partNumber(number)
                        .eTag(sent.eTag())
                        .checksumCRC32C(crc)
                        .build()))
        .exceptionally(error -> failed(part, error));
  }

  private Void failed(int part, Throwable error) {
    failure.accumulateAndGet(
        faults.of(error, S3Action.WRITE, key),
        (known, other) -> known == null || known.fault().retryable() ? other : known);
    left.add(part);
    return null;
  }

  private CompletableFuture<Void> complete(String uploadId) {
    List<CompletedPart> all = new ArrayList<>();
    for (int part = 0; part < parts.count(); part++) {
      all.add(completed.get(part));
    }
    return client
        .completeMultipartUpload(
            request ->
                request
                    .bucket(bucket)
                    .key(key)
                    .uploadId(uploadId)
                    .multipartUpload(upload -> upload.parts(all)))
        .thenApply(done -> null);
  }

  private CompletableFuture<Void> abort(String uploadId, Throwable error) {
    return remove(uploadId)
        .thenCompose(done -> CompletableFuture.failedFuture(faults.of(error, S3Action.WRITE, key)));
  }

  private CompletableFuture<Void> remove(String uploadId) {
    return client
        .abortMultipartUpload(request -> request.bucket(bucket).key(key).uploadId(uploadId))
        .handle(
            (done, error) -> {
              if (error != null && S3Faults.status(error) != 404) {
                LOG.warn(
                    "Could not remove the parts of upload {} of '{}' in bucket '{}'. A lifecycle"
                        + " rule for incomplete multipart uploads removes them.",
                    uploadId,
                    key,
                    bucket,
                    error);
              }
              return null;
            });
  }
}
