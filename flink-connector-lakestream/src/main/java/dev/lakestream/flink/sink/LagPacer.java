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

import dev.lakestream.retention.LagGate;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.operators.MailboxExecutor;

/**
 * Holds a writer back while the stream is {@code sink.max-lag} steps ahead of its consumers (DESIGN
 * section 4.3), and lets checkpoints through.
 *
 * <p>Flink processes a barrier between two elements. A writer that waited inside one for consumers
 * would hold up every checkpoint, and after the timeout the job. So it waits only until the next
 * checkpoint is due. From then on it lets batches pass, slowly at first and faster the longer no
 * barrier comes, until the checkpoint is taken. What passes is what was in the network buffers
 * before the barrier; with unaligned checkpoints a few batches.
 */
final class LagPacer {

  /** Between two batches when a checkpoint is due. */
  private static final Duration DRIP = Duration.ofMillis(64);

  /** After so long without the barrier that is due, batches pass twice as fast. */
  private static final Duration HALVING = Duration.ofMillis(250);

  private static final Duration LEAST_WAIT = Duration.ofMillis(1);

  private final LagGate gate;
  private final UUID owner;
  private final int writers;
  private final MailboxExecutor mailbox;
  private final LongSupplier nanoClock;
  private final long checkpointNanos;
  private long snapshotAt;

  /**
   * @param checkpointInterval between two checkpoints; zero: there are none, and a batch waits
   *     until there is room
   */
  LagPacer(
      LagGate gate,
      UUID owner,
      int writers,
      Duration checkpointInterval,
      MailboxExecutor mailbox,
      LongSupplier nanoClock) {
    this.gate = gate;
    this.owner = owner;
    this.writers = writers;
    this.checkpointNanos = checkpointInterval.toNanos();
    this.mailbox = mailbox;
    this.nanoClock = nanoClock;
    this.snapshotAt = nanoClock.getAsLong();
  }

  /**
   * Waits until a batch may be added. Consumers that do not move never fail it: {@link
   * SinkConfig#lag}.
   */
  void beforeBatch(Outlet outlet) throws InterruptedException {
    // The other writers have as much under way, as far as this one knows.
    LongSupplier ahead =
        () -> {
          long unpublished = writers * outlet.unpublishedSteps(gate.publishedSequence(owner));
          // After it: what is published in between counts twice for a moment, and never not at all.
          gate.published(outlet.nextStep());
          return unpublished;
        };
    if (gate.admits(ahead.getAsLong())) {
      return;
    }
    long patience = checkpointNanos > 0 ? patience() : Long.MAX_VALUE;
    if (patience < LEAST_WAIT.toNanos()) {
      return;
    }
    CompletableFuture<Void> admission = gate.admission(ahead);
    try {
      CompletableFuture<Void> passes =
          admission.copy().completeOnTimeout(null, patience, TimeUnit.NANOSECONDS);
      MailboxWait.await(mailbox, passes);
    } finally {
      admission.cancel(false);
    }
  }

  /** How long this batch waits at most. */
  private long patience() {
    long late = nanoClock.getAsLong() - snapshotAt - checkpointNanos;
    return late < 0 ? -late : DRIP.toNanos() >> Math.min(Long.SIZE - 1, late / HALVING.toNanos());
  }

  /** A checkpoint has taken the state of the writer. */
  void snapshotTaken() {
    snapshotAt = nanoClock.getAsLong();
  }
}
