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

import java.util.concurrent.atomic.LongAdder;

/** What the requests of one or more stores met, counted since the start. Thread-safe. */
public final class StoreMetrics {

  private final LongAdder attempts = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder throttles = new LongAdder();
  private final LongAdder transientFaults = new LongAdder();
  private final LongAdder exhausted = new LongAdder();

  /** Requests made, the repeated ones too. */
  public long attempts() {
    return attempts.sum();
  }

  /** Requests that repeated an earlier one. */
  public long retries() {
    return retries.sum();
  }

  /** Answers with {@link Fault#THROTTLED}. */
  public long throttles() {
    return throttles.sum();
  }

  /** Answers with any other fault that is {@link Fault#retryable()}. */
  public long transientFaults() {
    return transientFaults.sum();
  }

  /** Calls that were given up because their budget was used up. */
  public long exhausted() {
    return exhausted.sum();
  }

  void attempted(boolean again) {
    attempts.increment();
    if (again) {
      retries.increment();
    }
  }

  void failed(Throwable error) {
    StoreException.in(error)
        .map(StoreException::fault)
        .filter(Fault::retryable)
        .ifPresent(fault -> (fault == Fault.THROTTLED ? throttles : transientFaults).increment());
  }

  void gaveUp() {
    exhausted.increment();
  }
}
