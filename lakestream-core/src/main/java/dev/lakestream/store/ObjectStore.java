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

/**
 * The objects under one address. Keys are relative to it, {@code /}-separated, without a leading
 * slash.
 *
 * <p>What an implementation must hold:
 *
 * <ul>
 *   <li>An object appears whole or not at all, and is readable by everyone as soon as a write of it
 *       has ended.
 *   <li>Of any number of racing {@link #createIfAbsent} calls on a free key at most one is told
 *       {@link CreateOutcome#CREATED}. {@link ConditionalCreateProbe} refuses a store that cannot.
 *   <li>{@link #list} is a hint: it may be stale and its pages small. Callers must not need more.
 *   <li>Futures end with a {@link StoreException} (or a wrapper of one), never with a vendor's
 *       type.
 * </ul>
 *
 * Thread-safe. Futures may complete on a thread of the store: do not block in their continuations.
 */
public interface ObjectStore extends AutoCloseable {

  /** The canonical address, for messages: never contains secrets. */
  String address();

  /**
   * Creates the object if no object has this key. Always one request, never multipart and never
   * retried inside: a retryable {@link Fault} means that the outcome is unknown (invariant I5).
   */
  CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content);

  /** Writes the object, replacing one that is there. Any length; large ones go up in parts. */
  CompletableFuture<Void> put(String key, Payload content);

  /**
   * Reads exactly {@code length} bytes from {@code offset}. A length of 0 makes no request.
   *
   * @return a buffer that the caller owns, positioned at 0, with {@code length} bytes remaining
   */
  CompletableFuture<ByteBuffer> read(String key, long offset, int length);

  /**
   * As {@link #read}, with an observer that sees the bytes as they arrive. Here it sees them when
   * all have; a store that can shows them earlier.
   *
   * @param observer makes a new one for each attempt, as the one that is returned must have seen
   *     the bytes of one attempt alone
   */
  default <O extends ReadObserver> CompletableFuture<Observed<O>> readObserved(
      String key, long offset, int length, Supplier<O> observer) {
    return read(key, offset, length)
        .thenApply(
            bytes -> {
              O seeing = observer.get();
              seeing.received(bytes.duplicate());
              return new Observed<>(bytes, seeing);
            });
  }

  /** Reads the last {@code length} bytes, or the whole object if it is shorter, in one request. */
  CompletableFuture<Suffix> readSuffix(String key, int length);

  /** The length of the object in bytes; {@link Fault#MISSING} if there is none. */
  CompletableFuture<Long> length(String key);

  /**
   * One page of the objects whose key starts with {@code prefix} and is greater than {@code
   * startAfter}.
   *
   * @param startAfter exclusive; empty: from the beginning
   * @param limit at most so many; the store may return fewer, and then says {@link
   *     Listing#truncated()}
   */
  CompletableFuture<Listing> list(String prefix, String startAfter, int limit);

  /** Removes the object; no error if there is none. */
  CompletableFuture<Void> delete(String key);

  /**
   * How many answers have asked for fewer requests ({@link Fault#THROTTLED}) so far, those of
   * requests that were repeated and then succeeded too: whoever has many requests under way sees by
   * it that they are too many. 0 from a store that does not count.
   */
  default long throttles() {
    return 0;
  }

  /**
   * The uploads in parts that have begun and not ended, for keys that start with {@code prefix}.
   * Empty in a store where nothing of an unfinished write stays behind.
   */
  default CompletableFuture<List<PendingUpload>> pendingUploads(String prefix) {
    return CompletableFuture.completedFuture(List.of());
  }

  /** Ends the upload and frees its parts; no error if it has ended. */
  default CompletableFuture<Void> abort(PendingUpload upload) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  void close();
}
