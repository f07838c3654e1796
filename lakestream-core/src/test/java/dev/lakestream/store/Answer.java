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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * How a {@link FaultyStore} treats a request: it may let the store have it ({@link
 * FaultyStore.Request#proceed}), before, after or instead of answering something else.
 */
@FunctionalInterface
public interface Answer {

  /** The future has the type of the request's operation. */
  CompletableFuture<?> to(FaultyStore.Request request);

  /** Fails without applying the request. */
  static Answer fail(Fault fault) {
    return request -> failed(fault, "injected " + fault + " on " + request);
  }

  /** 409: on a create the store could not decide; other requests may be sent again. */
  static Answer conflict() {
    return request ->
        request.op() == Op.CREATE
            ? CompletableFuture.completedFuture(CreateOutcome.TRY_AGAIN)
            : failed(Fault.TRANSIENT, "injected 409 OperationAborted on " + request);
  }

  /** 412 on a create that was not applied and whose key may be free. */
  static Answer taken() {
    return request -> CompletableFuture.completedFuture(CreateOutcome.EXISTS);
  }

  /** 403. */
  static Answer denied() {
    return fail(Fault.DENIED);
  }

  /** 500; nothing was applied, which the client cannot know. */
  static Answer serverError() {
    return fail(Fault.TRANSIENT);
  }

  /** 503 SlowDown. */
  static Answer slowDown() {
    return fail(Fault.THROTTLED);
  }

  /** The request is applied, and its reply is lost. */
  static Answer lostReply() {
    return request ->
        request
            .proceed()
            .handle((result, error) -> null)
            .thenCompose(
                ignored -> failed(Fault.TRANSIENT, "injected: the reply was lost of " + request));
  }

  /**
   * The client sees a timeout, and the request is applied later: after {@code requests} further
   * ones, or with {@link FaultyStore#deliverHeld()}.
   */
  static Answer appliedLate(int requests) {
    return request -> {
      request.hold(requests);
      return failed(Fault.TRANSIENT, "injected: no reply yet to " + request);
    };
  }

  /** Waits first. */
  static Answer delay(Duration latency) {
    return request -> {
      request.time().sleep(latency);
      return request.proceed();
    };
  }

  /** Waits for something between the two first: evenly drawn, seeded. */
  static Answer delay(Duration least, Duration most, long seed) {
    Random random = new Random(seed);
    return request -> {
      long drawn = random.nextLong(most.minus(least).toNanos() + 1);
      request.time().sleep(least.plusNanos(drawn));
      return request.proceed();
    };
  }

  /** The connection broke in mid-body, more often than the store would resume. */
  static Answer shortReply() {
    return fail(Fault.SHORT_REPLY);
  }

  /** The object has lost all but its first bytes. */
  static Answer truncatedTo(int bytes) {
    return request -> request.truncated(bytes);
  }

  /** The listing as it was before the last {@code changes} changes. */
  static Answer staleListing(int changes) {
    return request -> request.staleListing(changes);
  }

  /** Pages of at most {@code size} objects. */
  static Answer pagesOf(int size) {
    return request -> request.proceedWithLimit(size);
  }

  /** The objects of a page in a random order. */
  static Answer unordered(long seed) {
    Random random = new Random(seed);
    return request ->
        request
            .<Listing>proceedAs()
            .thenApply(
                page -> {
                  List<Listing.Entry> mixed = new ArrayList<>(page.objects());
                  Collections.shuffle(mixed, random);
                  return new Listing(mixed, page.truncated());
                });
  }

  /** A create overwrites what is there, and says CREATED: the store ignores the condition. */
  static Answer ignoreCondition() {
    return FaultyStore.Request::overwrite;
  }

  /**
   * The store looks first and writes after: creates of one key that are under way at the same time
   * all win. Waits up to 200 ms for a rival, so that a race is one.
   */
  static Answer severalWinners() {
    return new RacyCreate();
  }

  /** Bytes of a range are flipped on the way. */
  static Answer corrupted() {
    return request ->
        request
            .<ByteBuffer>proceedAs()
            .thenApply(
                bytes -> {
                  int middle = bytes.remaining() / 2;
                  return bytes.hasRemaining()
                      ? bytes.put(middle, (byte) ~bytes.get(middle))
                      : bytes;
                });
  }

  private static <T> CompletableFuture<T> failed(Fault fault, String message) {
    return CompletableFuture.failedFuture(new StoreException(fault, message));
  }
}
