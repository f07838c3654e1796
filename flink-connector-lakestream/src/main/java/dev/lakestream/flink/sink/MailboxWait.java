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
package dev.lakestream.flink.sink;

import dev.lakestream.store.Futures;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.flink.api.common.operators.MailboxExecutor;

/** Waiting in the task's thread while its mailbox goes on. */
final class MailboxWait {

  private MailboxWait() {}

  /**
   * Attempts something until nothing is in its way.
   *
   * @param attempt what to wait for before the next one; empty: done
   */
  static void untilDone(
      MailboxExecutor mailbox, Supplier<Optional<? extends CompletableFuture<?>>> attempt)
      throws InterruptedException {
    Optional<? extends CompletableFuture<?>> blocking = attempt.get();
    while (blocking.isPresent()) {
      CompletableFuture<?> future = blocking.get();
      await(mailbox, future);
      blocking = attempt.get();
    }
  }

  /** The result of the future; its failure is thrown with its own type. */
  static <T> T await(MailboxExecutor mailbox, CompletableFuture<T> future)
      throws InterruptedException {
    if (!future.isDone()) {
      // The mail wakes the thread up. It is sent after completion, so that it cannot come too
      // early.
      CompletableFuture<T> woken =
          future.whenComplete((result, error) -> mailbox.execute(() -> {}, "Lakestream wake-up"));
      while (!future.isDone()) {
        mailbox.yield();
      }
      assert woken != null;
    }
    return Futures.await(future);
  }
}
