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

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.function.ThrowingRunnable;

/** Mails in a queue; the thread that yields runs one. */
final class QueuedMailbox implements MailboxExecutor {

  private final BlockingQueue<ThrowingRunnable<? extends Exception>> mails =
      new LinkedBlockingQueue<>();
  private int yields;

  /** How often the task's thread gave way. */
  int yields() {
    return yields;
  }

  int waiting() {
    return mails.size();
  }

  @Override
  public void execute(
      MailOptions options,
      ThrowingRunnable<? extends Exception> mail,
      String description,
      Object... arguments) {
    mails.add(mail);
  }

  @Override
  public void yield() throws InterruptedException {
    yields++;
    run(mails.take());
  }

  @Override
  public boolean tryYield() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean shouldInterrupt() {
    return false;
  }

  private static void run(ThrowingRunnable<? extends Exception> mail) {
    try {
      mail.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
