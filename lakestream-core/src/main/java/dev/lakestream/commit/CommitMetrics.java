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
package dev.lakestream.commit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Counters and gauges of one committer. Written by the committing thread, read by any. */
public final class CommitMetrics {

  private final AtomicLong attempts = new AtomicLong();
  private final AtomicLong commits = new AtomicLong();
  private final AtomicLong conflicts = new AtomicLong();
  private final AtomicLong retries = new AtomicLong();
  private final AtomicLong unknownOutcomes = new AtomicLong();
  private volatile Duration gap = Duration.ZERO;
  private volatile Duration fragileWindow = Duration.ZERO;
  private volatile long manifestBytes;
  private volatile long lastPublishNanos = Long.MIN_VALUE;
  private volatile long nextStep;

  /** Conditional creates sent. */
  public long attempts() {
    return attempts.get();
  }

  /** Manifests published. */
  public long commits() {
    return commits.get();
  }

  /** Attempts lost to another producer. */
  public long conflicts() {
    return conflicts.get();
  }

  /** Attempts that the store put off (409, 503) or whose reply was lost without effect. */
  public long retries() {
    return retries.get();
  }

  /** Attempts whose outcome had to be learned by reading. */
  public long unknownOutcomes() {
    return unknownOutcomes.get();
  }

  /** The pacing gap in force. */
  public Duration gap() {
    return gap;
  }

  /** From reading the base to the end of the conditional create, of the last decided attempt. */
  public Duration fragileWindow() {
    return fragileWindow;
  }

  /** Size of the last manifest sent, in bytes. */
  public long manifestBytes() {
    return manifestBytes;
  }

  /** When the last publish ended, by {@link System#nanoTime}; {@code Long.MIN_VALUE}: none yet. */
  public long lastPublishNanos() {
    return lastPublishNanos;
  }

  /** One past the newest step, as last seen. */
  public long nextStep() {
    return nextStep;
  }

  void sent(int bytes) {
    attempts.incrementAndGet();
    manifestBytes = bytes;
  }

  void decided(boolean won, Duration window, Duration newGap) {
    if (!won) {
      conflicts.incrementAndGet();
    }
    fragileWindow = window;
    gap = newGap;
  }

  void published(long nanos) {
    commits.incrementAndGet();
    lastPublishNanos = nanos;
  }

  void sawNextStep(long step) {
    nextStep = step;
  }

  void retried() {
    retries.incrementAndGet();
  }

  void outcomeUnknown() {
    unknownOutcomes.incrementAndGet();
  }
}
