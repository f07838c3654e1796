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

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.lakestream.store.ReadObserver.Observed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.Supplier;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects in a bucket of S3 or a compatible store.
 *
 * <p>Assumptions, and what recovers when they fail:
 *
 * <ul>
 *   <li>{@code PutObject} with {@code If-None-Match: *} creates at most once, under races too. A
 *       store that ignores it is found by {@link ConditionalCreateProbe}.
 *   <li>The client below does not retry: a conditional PUT that the SDK repeated could be answered
 *       412 because of itself. A timeout, a reset or a 5xx is reported as what it is, an unknown
 *       outcome, and resolved by the commit loop.
 *   <li>412 and 409 are different answers: the key is taken; or the store could not decide, and
 *       nothing was stored.
 *   <li>A body may end early, and a server may ignore a range: {@link S3Read} verifies what comes.
 * </ul>
 */
final class S3Store implements ObjectStore {

  private static final int MAX_PAGE = 1000;
  private static final int NOT_IMPLEMENTED = 501;

  private static final ThreadFactory CLOSER = DaemonThreads.named("lakestream-s3-close");

  private final StreamAddress address;
  private final String bucket;
  private final String root;
  private final S3Settings settings;
  private final S3AsyncClient client;
  private final S3Faults faults;

  S3Store(StreamAddress address, S3Settings settings, S3AsyncClient client) {
    this.address = address;
    this.bucket = address.authority();
    this.root = address.path().isEmpty() ? "" : address.path() + "/";
    this.settings = settings;
    this.client = client;
    this.faults = new S3Faults(bucket);
  }

  @Override
  public String address() {
    return address.toString();
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    return call(
        S3Action.CREATE,
        key,
        full -> {
          PutObjectRequest request = putRequest(full, content).ifNoneMatch("*").build();
          return client
              .putObject(request, S3Upload.body(content.buffers()))
              .handle(
                  (done, error) ->
                      switch (S3Faults.status(error)) {
                        case 412 -> CreateOutcome.EXISTS;
                        case 409 -> CreateOutcome.TRY_AGAIN;
                        default -> {
                          if (error != null) {
                            throw new CompletionException(error);
                          }
                          yield CreateOutcome.CREATED;
                        }
                      });
        });
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return call(
        S3Action.WRITE,
        key,
        full ->
            content.length() > settings.multipartThreshold()
                ? new S3Upload(client, settings, faults, bucket, full, content).run()
                : client
                    .putObject(putRequest(full, content).build(), S3Upload.body(content.buffers()))
                    .thenApply(done -> null));
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return range(key, offset, length, piece -> {}, bytes -> bytes);
  }

  @Override
  public <O extends ReadObserver> CompletableFuture<Observed<O>> readObserved(
      String key, long offset, int length, Supplier<O> observer) {
    O seeing = observer.get();
    return range(key, offset, length, seeing, bytes -> new Observed<>(bytes, seeing));
  }

  private <T> CompletableFuture<T> range(
      String key, long offset, int length, ReadObserver observer, Function<ByteBuffer, T> result) {
    return call(
        S3Action.READ,
        key,
        full -> {
          if (offset < 0 || length < 0) {
            throw new StoreException(
                Fault.INVALID, "No range: offset " + offset + ", length " + length + " of " + key);
          }
          return length == 0
              ? CompletableFuture.completedFuture(result.apply(ByteBuffer.allocate(0)))
              : S3Read.range(client, faults, bucket, full, offset, length, observer, result);
        });
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return call(
        S3Action.READ,
        key,
        full -> {
          if (length == 0) {
            return head(full).thenApply(size -> new Suffix(ByteBuffer.allocate(0), size));
          }
          return S3Read.suffix(client, faults, bucket, full, length)
              .exceptionallyCompose(
                  error ->
                      // A suffix range of an empty object cannot be satisfied: nothing is wrong.
                      StoreException.is(error, Fault.OUT_OF_RANGE)
                          ? emptySuffix(full)
                          : CompletableFuture.failedFuture(error));
        });
  }

  private CompletableFuture<Suffix> emptySuffix(String full) {
    return head(full)
        .thenApply(
            size -> {
              if (size != 0) {
                throw new StoreException(
                    Fault.SHORT_REPLY,
                    "'%s' in bucket '%s' changed while its end was read.".formatted(full, bucket));
              }
              return new Suffix(ByteBuffer.allocate(0), 0);
            });
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return call(S3Action.LOOK_UP, key, this::head);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    if (!Keys.possiblePrefix(prefix)) {
      return CompletableFuture.completedFuture(new Listing(List.of(), false));
    }
    // Starting after the root itself skips a folder marker that some tool may have put there.
    String after = startAfter.isEmpty() && prefix.isEmpty() ? root : root + startAfter;
    return guarded(
        S3Action.LIST,
        root + prefix,
        () ->
            client
                .listObjectsV2(
                    request -> {
                      request
                          .bucket(bucket)
                          .prefix(root + prefix)
                          .maxKeys(Math.min(limit, MAX_PAGE));
                      if (!after.isEmpty()) {
                        request.startAfter(after);
                      }
                    })
                .thenApply(page -> listing(page, after)));
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return call(
        S3Action.DELETE,
        key,
        full ->
            client
                .deleteObject(request -> request.bucket(bucket).key(full))
                .handle(
                    (done, error) -> {
                      if (error != null) {
                        StoreException fault = faults.of(error, S3Action.DELETE, full);
                        if (fault.fault() != Fault.MISSING) {
                          throw fault;
                        }
                      }
                      return null;
                    }));
  }

  @Override
  public CompletableFuture<List<PendingUpload>> pendingUploads(String prefix) {
    if (!Keys.possiblePrefix(prefix)) {
      return CompletableFuture.completedFuture(List.of());
    }
    return guarded(
        S3Action.LIST_UPLOADS,
        root + prefix,
        () ->
            pendingUploads(prefix, null, null, new ArrayList<>())
                .exceptionallyCompose(
                    error ->
                        S3Faults.status(error) == NOT_IMPLEMENTED
                            ? CompletableFuture.completedFuture(List.of())
                            : CompletableFuture.failedFuture(error)));
  }

  private CompletableFuture<List<PendingUpload>> pendingUploads(
      String prefix, String keyMarker, String idMarker, List<PendingUpload> found) {
    return client
        .listMultipartUploads(
            request ->
                request
                    .bucket(bucket)
                    .prefix(root + prefix)
                    .keyMarker(keyMarker)
                    .uploadIdMarker(idMarker))
        .thenCompose(
            page -> {
              page.uploads().stream()
                  // Some servers do not look at the prefix.
                  .filter(upload -> upload.key().startsWith(root + prefix))
                  .map(
                      upload ->
                          new PendingUpload(
                              upload.key().substring(root.length()),
                              upload.uploadId(),
                              upload.initiated() == null
                                  ? Long.MAX_VALUE
                                  : upload.initiated().toEpochMilli()))
                  .forEach(found::add);
              boolean more =
                  Boolean.TRUE.equals(page.isTruncated())
                      && page.nextKeyMarker() != null
                      && !page.nextKeyMarker().equals(keyMarker);
              return more
                  ? pendingUploads(prefix, page.nextKeyMarker(), page.nextUploadIdMarker(), found)
                  : CompletableFuture.completedFuture(found);
            });
  }

  @Override
  public CompletableFuture<Void> abort(PendingUpload upload) {
    return call(
        S3Action.ABORT_UPLOAD,
        upload.key(),
        full ->
            client
                .abortMultipartUpload(
                    request -> request.bucket(bucket).key(full).uploadId(upload.id()))
                .handle(
                    (done, error) -> {
                      if (error != null) {
                        StoreException fault = faults.of(error, S3Action.ABORT_UPLOAD, full);
                        if (fault.fault() != Fault.MISSING) {
                          throw fault;
                        }
                      }
                      return null;
                    }));
  }

  @Override
  public void close() {
    // The SDK waits two seconds for its event loop to fall silent: nobody needs to wait with it.
    CLOSER.newThread(client::close).start();
  }

  @Override
  public String toString() {
    return "S3Store[" + address + "]";
  }

  private CompletableFuture<Long> head(String full) {
    return client
        .headObject(request -> request.bucket(bucket).key(full))
        .thenApply(answer -> answer.contentLength());
  }

  private PutObjectRequest.Builder putRequest(String full, Payload content) {
    PutObjectRequest.Builder request =
        PutObjectRequest.builder().bucket(bucket).key(full).contentLength(content.length());
    settings.encryption().ifPresent(request::serverSideEncryption);
    settings.kmsKeyId().ifPresent(request::ssekmsKeyId);
    if (settings.checksums()) {
      request.checksumCRC32C(S3Upload.crc32c(content.buffers()));
    }
    return request;
  }

  private Listing listing(ListObjectsV2Response page, String after) {
    List<Listing.Entry> entries =
        page.contents().stream()
            .filter(object -> object.key().length() > root.length())
            .map(this::entry)
            .toList();
    boolean truncated = Boolean.TRUE.equals(page.isTruncated());
    if (truncated && entries.isEmpty()) {
      throw new StoreException(
          Fault.TRANSIENT,
          "Listing bucket '%s' after '%s' gave an empty page that claims to have a successor."
              .formatted(bucket, after));
    }
    return new Listing(entries, truncated);
  }

  private Listing.Entry entry(S3Object object) {
    return new Listing.Entry(
        object.key().substring(root.length()),
        object.size(),
        object.lastModified() == null ? 0 : object.lastModified().toEpochMilli());
  }

  private <T> CompletableFuture<T> call(S3Action action, String key, Request<T> request) {
    return guarded(
        action,
        root + key,
        () -> {
          Keys.check(address.toString(), key);
          String full = root + key;
          if (full.getBytes(UTF_8).length > Keys.MAX_BYTES) {
            throw new StoreException(
                Fault.INVALID,
                "'%s' is longer than the %d bytes that S3 allows a key."
                    .formatted(full, Keys.MAX_BYTES));
          }
          return request.send(full);
        });
  }

  private <T> CompletableFuture<T> guarded(
      S3Action action, String full, Supplier<CompletableFuture<T>> request) {
    CompletableFuture<T> answer;
    try {
      answer = request.get();
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (result, error) -> {
          if (error != null) {
            throw faults.of(error, action, full);
          }
          return result;
        });
  }

  /** A request on a whole key. */
  private interface Request<T> {
    CompletableFuture<T> send(String full);
  }
}
