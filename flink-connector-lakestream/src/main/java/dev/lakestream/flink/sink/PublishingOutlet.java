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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.producer.Producer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.flink.api.common.operators.MailboxExecutor;

/**
 * At least once: each writer is a producer of its own and publishes as soon as pacing allows.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Flink calls {@link #flush} right before each barrier: what came before a checkpoint is in
 *       the stream when it is taken. What followed the last one is published again after a failure,
 *       which is what at least once means; nothing is lost.
 *   <li>One attempt at a time writes as this producer. Every attempt opens it anew, which takes
 *       over: what an earlier attempt left running, in a TaskManager that was cut off for instance,
 *       is fenced and can publish no more.
 *   <li>A failure of the producer is final and is thrown by the next call. The writer fails with
 *       it, and the restart opens another.
 *   <li>The task's thread never waits for the store: its mailbox goes on meanwhile, and {@link
 *       #close} does not wait for an upload either.
 * </ul>
 */
final class PublishingOutlet implements Outlet {

  private final Producer producer;
  private final MailboxExecutor mailbox;

  /** Waits for the commit in place of the task's thread. */
  private final ExecutorService flusher;

  PublishingOutlet(Producer producer, MailboxExecutor mailbox, String name) {
    this.producer = producer;
    this.mailbox = mailbox;
    this.flusher =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "lakestream-flush-" + name);
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void add(GlobalBatch batch, long reserved) throws InterruptedException {
    MailboxWait.untilDone(mailbox, () -> producer.tryAppend(batch, ByteString.EMPTY, reserved));
  }

  @Override
  public List<StagedBundle> flush() throws InterruptedException {
    MailboxWait.await(mailbox, CompletableFuture.runAsync(producer::flush, flusher));
    return List.of();
  }

  @Override
  public void snapshotTaken(long checkpointId) {
    // Its sequences are its own.
  }

  @Override
  public long unpublishedSteps(long publishedSequence) {
    return producer.unpublished();
  }

  @Override
  public long nextStep() {
    return producer.metrics().nextStep();
  }

  @Override
  public long sentBytes() {
    return producer.uploadedBytes();
  }

  @Override
  public long sendTimeMillis() {
    return producer.lastUploadNanos() / 1_000_000;
  }

  @Override
  public void close() {
    producer.abort();
    flusher.shutdownNow();
  }
}
