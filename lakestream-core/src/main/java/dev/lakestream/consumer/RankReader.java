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
package dev.lakestream.consumer;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.RankSection;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.SliceShape;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Reads what one rank takes of each step, in order, each step once.
 *
 * <p>Where the job's mesh is not that of the batches, {@link ReaderSettings#mode} says what a step
 * is; by default such batches are refused. Of a bundle the reader asks for what it needs alone, by
 * ranges, and fetches ahead as much as the store's latency and the caller's pace ask for, within
 * bounds. Every checksum is verified.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>{@link #cursor} states what was delivered and {@link #acknowledged} what the caller has
 *       acknowledged, never what was fetched: a reader that resumes from one of them goes on with
 *       the step after that.
 *   <li>A step below the trim is a {@link TrimmedException} that names the first step still held,
 *       also when it was trimmed while this reader was on its way to it. It is never skipped.
 *   <li>Bundles and segments that the head does not lead to may vanish at any time. Where one is
 *       missing, the reader goes to the newest manifest and tries once more.
 *   <li>Bytes that fail their checksum are fetched once more, since they may have been damaged on
 *       the way; then they are an {@link UnreadableStepException}.
 *   <li>After any exception the reader stands where it stood, and can be asked again.
 * </ul>
 *
 * For one thread at a time; only {@link #close}, {@link #stats} and {@link #waits} may come from
 * another one. It does not close the store.
 */
public final class RankReader implements AutoCloseable {

  private final TrainingStream stream;
  private final RankPosition position;
  private final ReaderSettings settings;
  private final Topology topology;
  private final ManifestWatch watch;
  private final Prefetcher prefetcher;
  private final StepDecoder decoder;
  private final ReadFailures failures;
  private final Waits waits = new Waits();
  private Stand stand;
  private long version;
  private Stand begin;
  private long beginVersion;
  private Cursor acknowledged;
  private Fetch fetch;
  private int taken;
  private volatile long delivered;
  private long returnedAt;
  private long fetchDoneAt;
  private long waited;

  private RankReader(TrainingStream stream, RankPosition position, ReaderSettings settings) {
    this.stream = stream;
    this.position = position;
    this.settings = settings;
    String sliceFormat = stream.info().sliceFormat();
    this.topology =
        new Topology(
            settings.mode(),
            SliceShape.of(sliceFormat),
            position.mesh(),
            position.d(),
            position.c());
    this.watch = ManifestWatch.join(stream, settings);
    this.prefetcher = new Prefetcher(stream, topology, settings, watch, waits);
    this.decoder = new StepDecoder(topology, sliceFormat, waits);
    this.failures = new ReadFailures(stream, topology, position, watch);
    Manifest manifest = watch.manifest();
    moveTo(new Stand(manifest.firstStep(), manifest.firstRow()), manifest.version());
    this.returnedAt = System.nanoTime();
  }

  /**
   * Opens the stream at this address, at the first step that it still holds.
   *
   * @throws dev.lakestream.manifest.StreamNotFoundException if there is none
   */
  public static RankReader open(ObjectStore store, RankPosition position) {
    return open(TrainingStream.open(store), position, ReaderSettings.DEFAULT);
  }

  /** Opens a stream at the first step that it still holds. */
  public static RankReader open(TrainingStream stream, RankPosition position) {
    return open(stream, position, ReaderSettings.DEFAULT);
  }

  /** As above, with settings. */
  public static RankReader open(
      TrainingStream stream, RankPosition position, ReaderSettings settings) {
    return new RankReader(stream, position, settings);
  }

  /**
   * Opens a stream where {@code cursor} stands: in mode {@code exact} with the mesh that it was
   * taken with, in the others with any.
   *
   * @throws ForeignCursorException if the cursor is of another stream, or of a later state of this
   *     one than the store holds
   * @throws MeshMismatchException if the mode cannot go on from it
   * @throws TrimmedException if the step has been reclaimed
   */
  public static RankReader resume(
      TrainingStream stream, RankPosition position, Cursor cursor, ReaderSettings settings) {
    Resumption.requireSameStream(stream, cursor);
    RankReader reader = open(stream, position, settings);
    try {
      new Resumption(stream, reader.topology, reader.watch).check(cursor);
      reader.moveTo(new Stand(cursor.step(), cursor.row()), reader.watch.manifest().version());
      return reader;
    } catch (RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  /**
   * Goes on with {@code nextStep}, forwards or backwards; in mode {@code rows} with its first row.
   * The step may be the next one to be published, which is then waited for. What was acknowledged
   * before is forgotten: {@link #acknowledged} then states this step.
   *
   * @throws TrimmedException if the step has been reclaimed
   * @throws StepBeyondEndException if it is further in the future
   */
  public void seek(long nextStep) {
    if (nextStep < 0) {
      throw new IllegalArgumentException("There is no step " + nextStep + ".");
    }
    Manifest newest = Resumption.covering(stream, watch, nextStep, 0);
    Resumption.requireHeld(stream, nextStep, newest);
    if (nextStep > newest.nextStep()) {
      throw new StepBeyondEndException(
          stream.toString(), nextStep, newest.nextStep(), newest.version());
    }
    moveTo(Stand.atStep(nextStep), newest.version());
  }

  private void moveTo(Stand next, long seen) {
    stand = next;
    version = seen;
    begin = next;
    beginVersion = seen;
    acknowledged = null;
    startOver();
  }

  /** Forgets what was fetched, and stays where it is. */
  private void startOver() {
    fetch = null;
    taken = 0;
    waited = 0;
    fetchDoneAt = 0; // What the caller did before it asks again says nothing of its pace.
    prefetcher.seek(stand);
  }

  /**
   * The next step; waits for a producer to publish it, as long as the settings say.
   *
   * @throws ReadTimeoutException if it did not come, naming what was being waited for
   * @throws UnreadableStepException if it is there and cannot be read
   */
  public RankStep next() {
    return poll(settings.timeout())
        .orElseThrow(() -> failures.noStep(stand, settings.timeout(), watch.manifest().version()));
  }

  /**
   * The next step, if there is one before the time is up. All ranks of a job see the same steps.
   *
   * @param timeout of 0: only what is here already
   * @return empty if the stream held no further step when the store was asked last, which is some
   *     poll intervals ago at most
   * @throws ReadTimeoutException if it holds one that did not come in time, or if the store has not
   *     answered for longer; the stage is named
   * @throws UnreadableStepException if it is there and cannot be read
   * @throws MeshMismatchException if the mode does not let this rank read it
   * @throws TrimmedException if it has been reclaimed
   */
  public Optional<RankStep> poll(Duration timeout) {
    long start = System.nanoTime();
    waits.add(Stage.CONSUMER, start - returnedAt);
    try {
      return poll(start, nanos(timeout));
    } finally {
      returnedAt = System.nanoTime();
    }
  }

  private Optional<RankStep> poll(long start, long nanos) {
    Throwable before = null;
    fetchDoneAt = fetchDoneAt == 0 ? start : fetchDoneAt;
    while (true) {
      Throwable failure;
      long asked = System.nanoTime();
      FetchQueue.Outcome outcome = prefetcher.await(start, nanos);
      waited += System.nanoTime() - asked;
      if (outcome instanceof FetchQueue.NoStep) {
        return Optional.empty();
      }
      if (outcome instanceof FetchQueue.Late late) {
        throw failures.timedOut(late, stand, nanos);
      }
      if (outcome instanceof FetchQueue.Failed failed) {
        failure = failed.why();
      } else {
        try {
          return Optional.of(deliver(((FetchQueue.Ready) outcome).fetch()));
        } catch (LakestreamException e) {
          failure = e;
        }
      }
      startOver();
      fetchDoneAt = System.nanoTime();
      if (before != null || !failures.isWorthAnotherTry(failure, stand)) {
        throw failures.of(failure, stand);
      }
      before = failure;
    }
  }

  private RankStep deliver(Fetch ready) {
    if (fetch != ready) {
      fetch = ready;
      taken = 0;
    }
    Map<Integer, RankSection> sections = Futures.await(ready.sections());
    RankStep step = decoder.decode(ready, ready.steps().get(taken), sections);
    taken++;
    delivered++;
    stand = step.next();
    version = ready.version();
    if (taken == ready.steps().size()) {
      long now = System.nanoTime();
      prefetcher.done(ready, Math.max(0, now - fetchDoneAt - waited));
      fetchDoneAt = now;
      waited = 0;
    }
    return step;
  }

  private static long nanos(Duration timeout) {
    try {
      return Math.max(0, timeout.toNanos());
    } catch (ArithmeticException centuries) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Where the reader stands: after the newest delivered step. To be kept with the model when all
   * delivered steps have been trained on; otherwise see {@link #acknowledge}.
   *
   * <p>May ask the store which row or step that is, once after a seek.
   */
  public Cursor cursor() {
    Cursor cursor = cursor(stand, version);
    stand = new Stand(cursor.step(), cursor.row());
    return cursor;
  }

  /** Where a reader stands that has taken {@code step} and nothing after it. */
  public Cursor cursorAfter(RankStep step) {
    return cursor(step.next(), step.version());
  }

  private Cursor cursor(Stand at, long seen) {
    return new Resumption(stream, topology, watch).cursor(at, seen);
  }

  /**
   * States that {@code step} and all delivered before it have done their work, for a caller that
   * takes steps ahead of its training (a queue between the two, micro batches): {@link
   * #acknowledged} then stands after it.
   */
  public void acknowledge(RankStep step) {
    boolean beforeBegin =
        begin.knowsRow() ? step.next().row() <= begin.row() : step.step() < begin.step();
    if (!stand.knowsRow() || step.next().row() > stand.row() || beforeBegin) {
      throw new IllegalArgumentException(
          "The "
              + step
              + " has not been delivered since the reader was opened or moved; it stands at "
              + failures.where(stand)
              + ".");
    }
    if (acknowledged == null || step.next().row() > acknowledged.row()) {
      acknowledged = cursorAfter(step);
    }
  }

  /**
   * Where the newest acknowledged step ends; where the reader was opened, resumed or last sought to
   * if none has been acknowledged since. What was delivered and not acknowledged does not count.
   */
  public Cursor acknowledged() {
    if (acknowledged == null) {
      acknowledged = cursor(begin, beginVersion);
    }
    return acknowledged;
  }

  public RankPosition position() {
    return position;
  }

  public TrainingStream stream() {
    return stream;
  }

  /** Where this reader's time went since it was opened. */
  public Map<Stage, Duration> waits() {
    return waits.snapshot();
  }

  /** What it did since it was opened, for metrics. */
  public ReaderStats stats() {
    return prefetcher.stats(delivered);
  }

  /** One line that says where the time went, and names the slowest stage. */
  public String whereTimeWent() {
    return stats().whereTimeWent();
  }

  /** Stops fetching. */
  @Override
  public void close() {
    prefetcher.close();
  }
}
