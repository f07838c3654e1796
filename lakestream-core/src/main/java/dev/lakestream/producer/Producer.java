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
package dev.lakestream.producer;

import com.google.protobuf.ByteString;
import dev.lakestream.LakestreamException;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.LagGate;
import dev.lakestream.retention.LagSettings;
import dev.lakestream.store.ConditionalCreateProbe;
import dev.lakestream.store.Futures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A stand-alone producer ([L] Algorithm 1): {@link #append} stages, a background thread publishes
 * as soon as pacing allows, {@link #close} publishes the rest. The manifest holds the producer's
 * position, so that a restart resumes its input where the stream ends: {@link #resumePosition}.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A position and the batches before it are published by the same manifest. A crash loses what
 *       was not published, which the next run appends again from {@link #resumePosition}: exactly
 *       once.
 *   <li>One process at a time writes under a producer id. Opening takes over: an older one fails
 *       with {@link dev.lakestream.commit.FencedException} at its next call.
 *   <li>A failure of the background thread is final and is thrown by the next call; open the
 *       producer anew.
 * </ul>
 *
 * {@link #append}, {@link #tryAppend}, {@link #flush} and {@link #close} are called by one thread
 * at a time. Nobody waits for the store while holding the lock that it shares with the background
 * thread, so that {@link #abort} and the gauges never wait for an upload.
 */
public final class Producer implements AutoCloseable {

  private final String producerId;
  private final UUID owner;
  private final Publisher publisher;
  private final CommitMetrics metrics;
  private final BundleStager stager;
  private final TrainingStream stream;
  private final UUID lineage;
  private final ByteString resumePosition;
  private final Optional<LagGate> gate;
  private final Thread committer;

  /** Guarded by this, as is what follows. */
  private final StagingQueue queue;

  private long sequence;
  private long appended;
  private long published;
  private boolean closing;
  private boolean aborted;
  private RuntimeException failure;

  private Producer(Builder builder) {
    this.stream = builder.stream;
    this.producerId = builder.producerId;
    this.owner = UUID.randomUUID();
    this.metrics = new CommitMetrics();
    this.publisher = new Publisher(stream, builder.commits, builder.random, metrics);
    if (!builder.storeProven) {
      ConditionalCreateProbe.check(stream.store(), stream.time());
    }
    Claim claim = new Claim(producerId, owner, builder.name, new Claim.Resume());
    var lineageHeld = publisher.takeOver(claim, OnRewind.FAIL).lineage();
    this.lineage = lineageHeld.id();
    this.sequence = lineageHeld.sequence();
    this.resumePosition = lineageHeld.position();
    this.gate = builder.lag.map(settings -> new LagGate(stream, settings));
    this.stager = new BundleStager(stream, builder.staging, owner, builder.subtask, sequence);
    this.queue = new StagingQueue(stager, stream.time(), builder.linger, this::wake);
    this.committer = new Thread(this::commitInBackground, "lakestream-producer-" + producerId);
    committer.setDaemon(true);
    committer.start();
  }

  public static Builder builder(TrainingStream stream, String producerId) {
    return new Builder(stream, producerId);
  }

  /**
   * Where the input is to be resumed: the position given with the last published batch; empty: at
   * its beginning.
   */
  public ByteString resumePosition() {
    return resumePosition;
  }

  /**
   * Appends a batch as the producer's next step. Blocks while the memory is used up, and while
   * consumers are too far behind ({@link Builder#maxLag}): what is staged counts as published, so
   * that no more than {@code max_lag} steps lie in the store ahead of them.
   *
   * @param position where the input stands after this batch, opaque, at most 4 KiB
   * @throws dev.lakestream.retention.LagTimeoutException if the consumers do not move
   */
  public void append(GlobalBatch batch, ByteString position) {
    gate.ifPresent(lag -> lag.await(this::unpublished));
    synchronized (this) {
      untilNothingIsInTheWay(() -> tryStage(batch, position, 0));
    }
  }

  /**
   * The same for a caller that has other work while it would have to wait.
   *
   * @param reserved bytes that the caller itself holds and that count against the memory as well
   * @return what to wait for (or to cancel) before the batch is offered again; empty: it was
   *     appended
   */
  public Optional<CompletableFuture<?>> tryAppend(
      GlobalBatch batch, ByteString position, long reserved) {
    if (gate.isPresent() && !gate.get().admits(unpublished())) {
      return Optional.of(gate.get().admission(this::unpublished));
    }
    synchronized (this) {
      // A copy: whoever cancels it does not cancel the upload.
      return tryStage(batch, position, reserved).map(CompletableFuture::copy);
    }
  }

  /** Steps that were appended and are not published yet. */
  public synchronized long unpublished() {
    requireHealthy();
    return appended - published;
  }

  private Optional<CompletableFuture<StagedBundle>> tryStage(
      GlobalBatch batch, ByteString position, long reserved) {
    requireHealthy();
    if (closing) {
      throw new LakestreamException("Producer \"" + producerId + "\" of " + stream + " is closed.");
    }
    Optional<CompletableFuture<StagedBundle>> busy = queue.tryAdd(batch, position, reserved);
    if (busy.isEmpty()) {
      appended++;
    }
    notifyAll();
    return busy;
  }

  private synchronized void wake() {
    notifyAll();
  }

  /** Waits until everything appended so far is published. */
  public synchronized void flush() {
    long target = appended;
    untilNothingIsInTheWay(queue::tryRoll);
    notifyAll();
    while (failure == null && published < target) {
      await(0);
    }
    requireHealthy();
  }

  /** Waits for upload after upload; lets go of the lock meanwhile. */
  private void untilNothingIsInTheWay(Supplier<Optional<CompletableFuture<StagedBundle>>> attempt) {
    Optional<CompletableFuture<StagedBundle>> busy = attempt.get();
    while (busy.isPresent()) {
      while (failure == null && !busy.get().isDone()) {
        await(0);
      }
      requireHealthy();
      busy = attempt.get();
    }
  }

  /** Publishes what is left and ends ([L]: finalisation). */
  @Override
  public void close() {
    try {
      flush();
    } finally {
      synchronized (this) {
        closing = true;
        notifyAll();
      }
      join();
    }
  }

  /**
   * Ends at once, for an owner that has failed: what is not published is left out, and a commit
   * under way may or may not publish. Its input is where {@link #resumePosition} of the next run
   * says.
   */
  public void abort() {
    synchronized (this) {
      aborted = true;
      closing = true;
      if (failure == null) {
        failure =
            new LakestreamException(
                "Producer \"" + producerId + "\" of " + stream + " was aborted.");
      }
      queue.clear();
      notifyAll();
    }
    committer.interrupt();
    join();
  }

  /** Of bundles whose upload has ended. */
  public long uploadedBytes() {
    return stager.uploadedBytes();
  }

  /** How long the last upload that ended took; 0: none yet. */
  public long lastUploadNanos() {
    return stager.lastUploadNanos();
  }

  public CommitMetrics metrics() {
    return metrics;
  }

  private void join() {
    try {
      committer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void commitInBackground() {
    try {
      List<StagingQueue.Staged> next = take();
      while (!next.isEmpty()) {
        publish(next);
        next = take();
      }
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private synchronized void fail(RuntimeException e) {
    failure = failure == null ? e : failure; // which an abort has set before it interrupts
    notifyAll();
  }

  /** What is to be published next; waits for some; empty: closed and done. */
  private synchronized List<StagingQueue.Staged> take() {
    while (!aborted) {
      Optional<CompletableFuture<StagedBundle>> busy =
          queue.isDue() ? queue.tryRoll() : Optional.empty();
      List<StagingQueue.Staged> taken = queue.take(sequence + 1);
      if (!taken.isEmpty() || closing) {
        return taken;
      }
      if (busy.isEmpty()) {
        await(queue.patienceMillis());
      } else if (!busy.get().isDone()) {
        await(0);
      }
    }
    return List.of();
  }

  private void publish(List<StagingQueue.Staged> taken) {
    List<StagedBundle> bundles =
        taken.stream().map(StagingQueue.Staged::bundle).map(Futures::await).toList();
    ByteString position = taken.get(taken.size() - 1).position();
    // More than max_lag can lie ahead only if other producers publish as well.
    gate.ifPresent(lag -> lag.await(() -> -1));
    // "Already published" is this owner's own work too: a commit whose reply and listing were lost.
    Publisher.Published done =
        publisher.publish(
            new Publication(
                producerId, owner, lineage, owner, sequence + 1, bundles, position, false));
    synchronized (this) {
      sequence++;
      gate.ifPresent(lag -> lag.published(done.nextStep()));
      published += bundles.stream().mapToLong(StagedBundle::tgbCount).sum();
      notifyAll();
    }
  }

  private void requireHealthy() {
    if (failure != null) {
      throw failure;
    }
  }

  private void await(long millis) {
    try {
      wait(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new dev.lakestream.store.InterruptedOperationException(
          "Interrupted while producer \"" + producerId + "\" was waiting.", e);
    }
  }

  /** Settings of a producer. */
  public static final class Builder {

    private final TrainingStream stream;
    private final String producerId;
    private String name = "producer";
    private int subtask;
    private StagingSettings staging = StagingSettings.DEFAULT;
    private CommitSettings commits = CommitSettings.DEFAULT;
    private Duration linger = Duration.ofSeconds(1);
    private RandomGenerator random = new java.util.SplittableRandom();
    private boolean storeProven;
    private Optional<LagSettings> lag = Optional.empty();

    private Builder(TrainingStream stream, String producerId) {
      this.stream = stream;
      this.producerId = producerId;
    }

    /** For messages: what a person knows this process by. */
    public Builder name(String value) {
      name = value;
      return this;
    }

    /**
     * Which of several parallel producers of one job this is; goes into the names of its bundles.
     */
    public Builder subtask(int value) {
      subtask = value;
      return this;
    }

    public Builder staging(StagingSettings value) {
      staging = value;
      return this;
    }

    public Builder commits(CommitSettings value) {
      commits = value;
      return this;
    }

    /** A bundle that is not full is published after this long. */
    public Builder linger(Duration value) {
      linger = value;
      return this;
    }

    /**
     * Bounds how many steps the stream may be ahead of its slowest consumer: {@link
     * LagSettings#of}. Not set: producers never wait for consumers.
     */
    public Builder maxLag(LagSettings value) {
      lag = Optional.of(value);
      return this;
    }

    /** The source of jitter. */
    public Builder random(RandomGenerator value) {
      random = value;
      return this;
    }

    /** Leaves out the probe of the store's conditional create: the caller has made it. */
    public Builder storeProven() {
      storeProven = true;
      return this;
    }

    /** Opens the producer, which takes over from older ones of its id. */
    public Producer build() {
      return new Producer(this);
    }
  }
}
