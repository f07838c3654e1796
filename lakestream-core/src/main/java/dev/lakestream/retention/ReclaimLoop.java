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
package dev.lakestream.retention;

import dev.lakestream.store.InterruptedOperationException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Reclaims again and again. A run that fails is told and followed by the next one, which finds what
 * is left; nothing but {@link #close} or an interrupt ends the loop. Any number of them may be at
 * work on a stream.
 *
 * <p>It keeps nothing from one run to the next, so that a death at any point loses nothing: what
 * may be deleted follows from the stream alone ({@link Reclaimer}). A stream that is gone fails
 * each run, and {@code failed} hears of each; whether to go on is for it to decide.
 */
public final class ReclaimLoop implements AutoCloseable {

  private final Reclaimer reclaimer;
  private final Duration every;
  private final Consumer<ReclaimResult> done;
  private final Consumer<RuntimeException> failed;
  private boolean closed;
  private Thread thread;

  /**
   * @param every from the end of a run to the beginning of the next
   * @param done hears of each run that ended well
   * @param failed hears of each that did not
   */
  public ReclaimLoop(
      Reclaimer reclaimer,
      Duration every,
      Consumer<ReclaimResult> done,
      Consumer<RuntimeException> failed) {
    if (every.isNegative() || every.isZero()) {
      throw new IllegalArgumentException("Reclaiming every " + every + " would never pause.");
    }
    this.reclaimer = reclaimer;
    this.every = every;
    this.done = done;
    this.failed = failed;
  }

  /** Runs in a thread of its own, which keeps no process alive. */
  public synchronized ReclaimLoop start() {
    thread = new Thread(this::run, "lakestream-reclaim");
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  /** Runs in the caller's thread until closed or interrupted. */
  public void run() {
    while (!isClosed() && !Thread.currentThread().isInterrupted()) {
      try {
        done.accept(reclaimer.run());
      } catch (InterruptedOperationException e) {
        return;
      } catch (RuntimeException e) {
        failed.accept(e);
      }
      pause();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized void pause() {
    long end = System.nanoTime() + every.toNanos();
    try {
      for (long left = every.toNanos(); !closed && left > 0; left = end - System.nanoTime()) {
        wait(Math.max(1, left / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends it: at once between two runs, otherwise by interrupting the run. */
  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
      notifyAll();
    }
    if (running != null && running != Thread.currentThread()) {
      running.interrupt();
      try {
        running.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
