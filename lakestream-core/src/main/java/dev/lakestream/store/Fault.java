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

/**
 * What went wrong with a request, as far as the caller's next move depends on it (invariant I7).
 */
public enum Fault {
  /** The object is not there. */
  MISSING(false),
  /** The credentials do not allow the request; asking again gives the same answer. */
  DENIED(false),
  /** There is no such bucket or root directory, or its host does not resolve. */
  NO_SUCH_STORE(false),
  /** The store asks for fewer requests (503 SlowDown); the request was not applied. */
  THROTTLED(true),
  /**
   * A 5xx, a reset or a timeout. A write that ended so may or may not have been applied: nobody
   * knows.
   */
  TRANSIENT(true),
  /** The reply ended early or was not the range that was asked for. */
  SHORT_REPLY(true),
  /**
   * The object is shorter than the range that was asked for: it is not the object that was
   * described.
   */
  OUT_OF_RANGE(false),
  /** No room: disk or quota. */
  NO_SPACE(false),
  /**
   * The store does not hold a conditional create, so that no commit on it would be safe (invariant
   * I6).
   */
  UNSAFE(false),
  /** The address or key cannot be used with this store. */
  INVALID(false);

  private final boolean retryable;

  Fault(boolean retryable) {
    this.retryable = retryable;
  }

  /** Whether the same request may succeed a little later. */
  public boolean retryable() {
    return retryable;
  }
}
