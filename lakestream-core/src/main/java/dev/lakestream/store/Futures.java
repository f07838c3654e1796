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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waiting for a store's futures without losing the type of what they failed with. */
public final class Futures {

  private Futures() {}

  /** Waits; throws the failure itself rather than a wrapper of it. */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw unwrapped(e);
    } catch (CancellationException e) {
      throw new InterruptedOperationException("The request was cancelled.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedOperationException("Interrupted while waiting for the store.", e);
    }
  }

  private static RuntimeException unwrapped(ExecutionException failure) {
    var store = StoreException.in(failure);
    if (store.isPresent()) {
      return store.get();
    }
    Throwable cause = failure.getCause();
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException runtime
        ? runtime
        : new LakestreamException("The store failed: " + cause, cause);
  }
}
