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
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Fault;
import dev.lakestream.store.InterruptedOperationException;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a step that does not come means for a rank: whether to ask once more, and else the error.
 */
final class ReadFailures {

  private static final Logger LOG = LoggerFactory.getLogger(ReadFailures.class);

  private final TrainingStream stream;
  private final Topology topology;
  private final RankPosition position;
  private final ManifestWatch watch;

  ReadFailures(
      TrainingStream stream, Topology topology, RankPosition position, ManifestWatch watch) {
    this.stream = stream;
    this.topology = topology;
    this.position = position;
    this.watch = watch;
  }

  /** The step, or the rows, that come next for a reader that stands there; for messages. */
  String where(Stand stand) {
    return topology.mode() == ReadMode.ROWS && stand.knowsRow()
        ? "rows " + stand.row() + " to " + (stand.row() + topology.mesh().dp() - 1)
        : "step " + stand.step();
  }

  /**
   * Whether it may be over when it is asked for again, by the newest manifest.
   *
   * @param stand where the reader stands
   */
  boolean isWorthAnotherTry(Throwable failure, Stand stand) {
    if (StoreException.is(failure, Fault.MISSING)) {
      LOG.info(
          "{} of {} is not where it was; looking in the newest manifest", where(stand), stream);
      Manifest newest = watch.renew(stream);
      return stand.step() >= newest.firstStep();
    }
    if (failure instanceof CorruptObjectException) {
      LOG.warn(
          "{} of {} came damaged and will be fetched once more", where(stand), stream, failure);
      return true;
    }
    return false;
  }

  /** No producer has published the step. */
  ReadTimeoutException noStep(Stand stand, Duration timeout, long newest) {
    return new ReadTimeoutException(
        Stage.NEW_STEP,
        "No producer has published "
            + where(stand)
            + " of "
            + stream
            + " within "
            + timeout
            + " (newest manifest: "
            + newest
            + "). Look at the job that writes the stream; or use poll() where the stream"
            + " may end.");
  }

  /** The step is there, or the store has not said that it is not. */
  ReadTimeoutException timedOut(FetchQueue.Late late, Stand stand, long nanos) {
    return new ReadTimeoutException(
        late.stage(),
        "Step "
            + stand.step()
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

  /**
   * What to throw for a failure at the step where the reader stands.
   *
   * @throws Error if it is one
   */
  RuntimeException of(Throwable why, Stand stand) {
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
      if (stand.step() < held) {
        return new TrimmedException(stream.id(), stand.step(), held);
      }
    }
    return new UnreadableStepException(
        stand.step(),
        "Step "
            + stand.step()
            + " of "
            + stream
            + ", slice "
            + position
            + ", cannot be read: "
            + why.getMessage(),
        why);
  }
}
