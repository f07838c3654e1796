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

import dev.lakestream.LakestreamException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * A request to an object store that failed, with the {@link Fault} that says what the caller may do
 * next.
 */
public class StoreException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final Fault fault;

  public StoreException(Fault fault, String message) {
    super(message);
    this.fault = fault;
  }

  public StoreException(Fault fault, String message, Throwable cause) {
    super(message, cause);
    this.fault = fault;
  }

  public Fault fault() {
    return fault;
  }

  /** The store's failure inside {@code error}, however a future or an executor has wrapped it. */
  public static Optional<StoreException> in(Throwable error) {
    Throwable inner = error;
    while (inner instanceof CompletionException || inner instanceof ExecutionException) {
      if (inner.getCause() == null) {
        break;
      }
      inner = inner.getCause();
    }
    return inner instanceof StoreException found ? Optional.of(found) : Optional.empty();
  }

  /** Whether {@code error} is a store's failure of this kind. */
  public static boolean is(Throwable error, Fault fault) {
    return in(error).filter(found -> found.fault() == fault).isPresent();
  }
}
