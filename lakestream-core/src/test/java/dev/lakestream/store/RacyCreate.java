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

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** See {@link Answer#severalWinners()}. */
final class RacyCreate implements Answer {

  private static final long PATIENCE_MILLIS = 200;

  private final Map<String, CountDownLatch> racing = new ConcurrentHashMap<>();

  @Override
  public CompletableFuture<?> to(FaultyStore.Request request) {
    AtomicReference<CountDownLatch> mine = new AtomicReference<>();
    racing.compute(
        request.key(),
        (key, rivals) -> {
          if (request.exists()) {
            return rivals;
          }
          CountDownLatch latch = rivals == null ? new CountDownLatch(2) : rivals;
          latch.countDown();
          mine.set(latch);
          return latch;
        });
    if (mine.get() == null) {
      return CompletableFuture.completedFuture(CreateOutcome.EXISTS);
    }
    try {
      boolean raced = mine.get().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      CompletableFuture<?> answer = request.overwrite();
      if (!raced) {
        racing.remove(request.key());
      }
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedOperationException("Interrupted in a race.", e);
    }
  }
}
