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

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A transfer that failed with a retryable {@link Fault} when a part of it was done. Whoever repeats
 * it sends what is left, in place of all of it; whoever does not says so, once, and what is done is
 * removed. So a store need not repeat anything itself: {@link RetryingStore} stays the only layer
 * that does.
 */
final class PartlyDoneException extends StoreException {

  private static final long serialVersionUID = 1L;

  private final transient Rest rest;
  private final boolean progressed;

  /** What is left of a transfer. */
  interface Rest {

    /** Sends it; the result is that of the whole transfer. */
    CompletableFuture<?> send();

    /** Ends the transfer without it. Never fails. */
    default CompletableFuture<Void> abandon() {
      return CompletableFuture.completedFuture(null);
    }
  }

  /**
   * @param progressed whether this attempt has done a part of it
   */
  PartlyDoneException(Fault fault, String message, Throwable cause, boolean progressed, Rest rest) {
    super(fault, message, cause);
    this.progressed = progressed;
    this.rest = rest;
  }

  /** The one inside {@code error}, however a future has wrapped it. */
  static Optional<PartlyDoneException> within(Throwable error) {
    return StoreException.in(error)
        .filter(PartlyDoneException.class::isInstance)
        .map(PartlyDoneException.class::cast);
  }

  Rest rest() {
    return rest;
  }

  boolean progressed() {
    return progressed;
  }
}
