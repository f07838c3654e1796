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
package dev.lakestream.flink.source;

import dev.lakestream.LakestreamException;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.GroupTakenException;
import dev.lakestream.store.StoreException;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/** Which failures of the source can pass, and which end the job for good. */
final class SourceFailures {

  private SourceFailures() {}

  /** Whether asking the store again may succeed. */
  static boolean canPass(Throwable failure) {
    return StoreException.in(failure).filter(found -> found.fault().retryable()).isPresent();
  }

  /**
   * The same failure; wrapped so that Flink does not restart the job if a restart would meet it.
   */
  static RuntimeException forGood(RuntimeException failure) {
    boolean permanent =
        failure instanceof PositionReclaimedException
            || failure instanceof StreamMismatchException
            || failure instanceof GroupTakenException
            || failure instanceof StreamDroppedException
            || failure instanceof StreamNotFoundException;
    return permanent ? new SuppressRestartsException(failure) : failure;
  }

  static RuntimeException ofDiscovery(
      TrainingStream stream, StreamPosition position, Throwable failure, int looks) {
    if (failure instanceof RuntimeException runtime && forGood(runtime) != runtime) {
      return forGood(runtime);
    }
    return new LakestreamException(
        "The source can no longer see what is published in "
            + stream
            + ": "
            + looks
            + " looks in a row failed at step "
            + position.nextStep()
            + ", the last one with: "
            + failure.getMessage(),
        failure);
  }
}
