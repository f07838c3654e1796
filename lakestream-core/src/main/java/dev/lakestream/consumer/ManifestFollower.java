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

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ManifestLog;
import dev.lakestream.manifest.ReclaimedException;
import dev.lakestream.manifest.TrainingStream;
import java.time.Duration;

/**
 * Goes from manifest to manifest. Assumes that what it sees only grows (invariant I3); a follower
 * whose own manifest was reclaimed while it slept starts anew at the head, which holds all the
 * steps that are still there to be read. A 404 on the next number is believed for a while only, and
 * then confirmed by a listing (invariant I8).
 *
 * <p>Used by one thread at a time, except for {@link #manifest()} and {@link #accept}.
 */
public final class ManifestFollower {

  private final TrainingStream stream;
  private final long confirmNanos;
  private volatile Manifest manifest;
  private long confirmedAt = System.nanoTime();

  /** Starts at the head. */
  public ManifestFollower(TrainingStream stream, Duration confirmInterval) {
    this.stream = stream;
    this.confirmNanos = confirmInterval.toNanos();
    this.manifest = stream.log().newest();
  }

  /** The newest one known. */
  public Manifest manifest() {
    return manifest;
  }

  /** Looks for a newer one; whether there is one. */
  public boolean advance() {
    return advance(stream);
  }

  /** The same by another opening of the stream, whose store is asked. */
  boolean advance(TrainingStream through) {
    return accept(newest(through.log(), manifest));
  }

  /** Takes {@code found}, which is live, if it is newer; whether it is. */
  synchronized boolean accept(Manifest found) {
    Manifest known = manifest;
    if (found.version() <= known.version()) {
      return false;
    }
    if (found.nextStep() < known.nextStep()) {
      throw new CorruptObjectException(
          "Manifest "
              + found.version()
              + " of "
              + stream
              + " ends at step "
              + found.nextStep()
              + " although manifest "
              + known.version()
              + " ended at "
              + known.nextStep()
              + ": the stream was overwritten.");
    }
    manifest = found;
    confirmedAt = System.nanoTime();
    return true;
  }

  private Manifest newest(ManifestLog log, Manifest known) {
    try {
      Manifest found = log.newest(known);
      if (found.version() > known.version() || !isConfirmationDue()) {
        return found;
      }
      return log.isHead(known) ? known : log.newest();
    } catch (ReclaimedException slept) {
      return log.newest();
    }
  }

  private boolean isConfirmationDue() {
    long now = System.nanoTime();
    if (now - confirmedAt < confirmNanos) {
      return false;
    }
    confirmedAt = now;
    return true;
  }
}
