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
import dev.lakestream.batch.Slice;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.SliceShape;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.InterruptedOperationException;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the slices of one rank, step by step, in order, each step once.
 *
 * <p>Of a bundle it reads its own section in one range request, after the footer where the sections
 * differ in length, and fetches a bounded number of bytes ahead. Every checksum is verified. The
 * batches must have the mesh that the rank reads with.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>{@link #cursor} states what was delivered, never what was fetched: a reader that resumes
 *       from it goes on with the step after the last one returned.
 *   <li>A step below the trim is a {@link TrimmedException} that names the first step still held,
 *       also when it was trimmed while this reader was on its way to it. It is never skipped.
 *   <li>Bytes that fail their checksum are fetched once more, since they may have been damaged on
 *       the way; then they are an {@link UnreadableStepException}.
 *   <li>After any exception the reader stands where it stood, and can be asked again.
 * </ul>
 *
 * For one thread at a time; only {@link #close} may come from another one. It does not close the
 * store.
 */
public final class RankReader implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RankReader.class);

  private final TrainingStream stream;
  private final RankPosition position;
  private final ReaderSettings settings;
  private final ManifestFollower follower;
  private final Prefetcher prefetcher;
  private final Waits waits = new Waits();
  private long step;
  private long version;
  private long returnedAt;

  private RankReader(TrainingStream stream, RankPosition position, ReaderSettings settings) {
    this.stream = stream;
    this.position = position;
    this.settings = settings;
    this.follower = new ManifestFollower(stream, settings.confirmInterval());
    this.prefetcher = new Prefetcher(stream, position, settings, follower, waits);
    moveTo(follower.manifest().firstStep(), follower.manifest());
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
   * Opens a stream where {@code cursor} stands.
   *
   * @throws ForeignCursorException if the cursor is of another stream, or of a later state of this
   *     one than the store holds
   * @throws MeshMismatchException if it was taken with another mesh
   * @throws TrimmedException if the step has been reclaimed
   */
  public static RankReader resume(
      TrainingStream stream, RankPosition position, Cursor cursor, ReaderSettings settings) {
    requireOwn(stream, position, cursor);
    RankReader reader = open(stream, position, settings);
    reader.resume(cursor);
    return reader;
  }

  private static void requireOwn(TrainingStream stream, RankPosition position, Cursor cursor) {
    if (!cursor.streamId().equals(stream.id())) {
      throw new ForeignCursorException(
          "The cursor is of stream "
              + cursor.streamId()
              + ", and "
              + stream.store().address()
              + " holds stream "
              + stream.id()
              + ". Open the stream that the checkpoint was trained on, or seek to a step of this one.");
    }
    try {
      new Topology(ReadMode.EXACT, SliceShape.OPAQUE, position.mesh(), position.d(), position.c())
          .checkResume(cursor.mesh(), cursor.step(), 0, 0, cursor.mesh());
    } catch (MeshMismatchException e) {
      throw e.at("Cannot go on in " + stream);
    }
  }

  private void resume(Cursor cursor) {
    Manifest newest = newestFor(cursor.step(), cursor.version());
    if (cursor.version() > newest.version() || cursor.step() > newest.nextStep()) {
      throw new ForeignCursorException(
          "The cursor stands at step "
              + cursor.step()
              + " of manifest "
              + cursor.version()
              + ", and "
              + stream
              + " ends at step "
              + newest.nextStep()
              + " of manifest "
              + newest.version()
              + ": this copy of the stream is older than the checkpoint. Restore the newer one, or seek"
              + " to a step that it holds.");
    }
    requireHeld(cursor.step(), newest);
    moveTo(cursor.step(), newest);
  }

  /**
   * Goes on with {@code nextStep}, forwards or backwards. The step may be the next one to be
   * published, which is then waited for.
   *
   * @throws TrimmedException if the step has been reclaimed
   * @throws StepBeyondEndException if it is further in the future
   */
  public void seek(long nextStep) {
    if (nextStep < 0) {
      throw new IllegalArgumentException("There is no step " + nextStep + ".");
    }
    Manifest newest = newestFor(nextStep, 0);
    requireHeld(nextStep, newest);
    if (nextStep > newest.nextStep()) {
      throw new StepBeyondEndException(
          stream.toString(), nextStep, newest.nextStep(), newest.version());
    }
    moveTo(nextStep, newest);
  }

  /** What is known if it covers the step and version; otherwise the store is asked. */
  private Manifest newestFor(long wantedStep, long wantedVersion) {
    Manifest known = follower.manifest();
    return wantedStep <= known.nextStep() && wantedVersion <= known.version()
        ? known
        : stream.log().newest();
  }

  private void requireHeld(long wantedStep, Manifest newest) {
    if (wantedStep < newest.firstStep()) {
      throw new TrimmedException(stream.id(), wantedStep, newest.firstStep());
    }
  }

  private void moveTo(long nextStep, Manifest seen) {
    step = nextStep;
    version = seen.version();
    prefetcher.seek(nextStep);
  }

  /**
   * The next step; waits for a producer to publish it, as long as the settings say.
   *
   * @throws ReadTimeoutException if it did not come, naming what was being waited for
   * @throws UnreadableStepException if it is there and cannot be read
   */
  public RankStep next() {
    return poll(settings.timeout())
        .orElseThrow(
            () ->
                new ReadTimeoutException(
                    Stage.NEW_STEP,
                    "No producer has published step "
                        + step
                        + " of "
                        + stream
                        + " within "
                        + settings.timeout()
                        + " (newest manifest: "
                        + follower.manifest().version()
                        + "). Look at the job that writes the stream; or use poll() where the stream"
                        + " may end."));
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
   * @throws MeshMismatchException if it was written for another mesh
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
    for (boolean again = false; ; again = true) {
      Prefetcher.Outcome outcome = prefetcher.await(start, nanos);
      if (outcome instanceof Prefetcher.NoStep) {
        return Optional.empty();
      }
      if (outcome instanceof Prefetcher.Late late) {
        throw timedOut(late, nanos);
      }
      if (outcome instanceof Prefetcher.Failed failed) {
        if (again || !(failed.why() instanceof CorruptObjectException)) {
          throw failure(failed.why());
        }
        warnOfDamage(failed.why());
        continue;
      }
      Fetch fetch = ((Prefetcher.Ready) outcome).fetch();
      try {
        return Optional.of(deliver(fetch));
      } catch (CorruptObjectException e) {
        prefetcher.seek(step);
        if (again) {
          throw failure(e);
        }
        warnOfDamage(e);
      } catch (LakestreamException e) {
        prefetcher.seek(step);
        throw failure(e);
      }
    }
  }

  private void warnOfDamage(Throwable e) {
    LOG.warn("Step {} of {} came damaged and will be fetched once more", step, stream, e);
  }

  private RankStep deliver(Fetch fetch) {
    BundleDescriptor bundle = fetch.bundle();
    RankSection section = Futures.await(fetch.section());
    long start = System.nanoTime();
    Slice slice = section.slice((int) (step - bundle.firstStep()));
    waits.add(Stage.DECODE, System.nanoTime() - start);
    RankStep delivered = new RankStep(step, slice, bundle, fetch.version());
    step++;
    version = fetch.version();
    if (step == fetch.nextStep()) {
      prefetcher.done(fetch);
    }
    return delivered;
  }

  private ReadTimeoutException timedOut(Prefetcher.Late late, long nanos) {
    return new ReadTimeoutException(
        late.stage(),
        "Step "
            + step
            + " of "
            + stream
            + ", slice "
            + position
            + ", did not come within "
            + Duration.ofNanos(nanos)
            + ", waiting for "
            + late.stage().awaited()
            + (late.object().isEmpty() ? "" : " (" + late.object() + ")")
            + ". The reader stands before that step: ask again to wait on.");
  }

  /** What to throw for a failure at the step where the reader stands. */
  private RuntimeException failure(Throwable why) {
    if (why instanceof Error error) {
      throw error;
    }
    if (why instanceof TrimmedException
        || why instanceof MeshMismatchException
        || why instanceof InterruptedOperationException
        || !(why instanceof LakestreamException)) {
      return (RuntimeException) why;
    }
    if (StoreException.is(why, Fault.MISSING)) {
      long held = stream.log().newest().firstStep();
      if (step < held) {
        return new TrimmedException(stream.id(), step, held);
      }
    }
    return new UnreadableStepException(
        step,
        "Step "
            + step
            + " of "
            + stream
            + ", slice "
            + position
            + ", cannot be read: "
            + why.getMessage(),
        why);
  }

  private static long nanos(Duration timeout) {
    try {
      return Math.max(0, timeout.toNanos());
    } catch (ArithmeticException centuries) {
      return Long.MAX_VALUE;
    }
  }

  /** Where the reader stands: after the newest delivered step. To be kept with the model. */
  public Cursor cursor() {
    return new Cursor(stream.id(), version, step, position.mesh());
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

  /** Stops fetching. */
  @Override
  public void close() {
    prefetcher.close();
  }
}
