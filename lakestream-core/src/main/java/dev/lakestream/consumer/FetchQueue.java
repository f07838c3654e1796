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

import dev.lakestream.store.Fault;
import dev.lakestream.store.InterruptedOperationException;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The fetches of one reader in step order, under way or here: its {@link Planner} adds to them as
 * memory allows, and its consumer takes them.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>What the planner does is of one generation, and each {@link #seek} begins another. What
 *       comes late, of an earlier one, is dropped.
 *   <li>A failure belongs to the step at which the plan stands. It is handed out when all steps
 *       before it have been taken; then the plan waits for the next call and tries again.
 *   <li>Memory is reserved before it is asked for. Requests that a seek has abandoned count until
 *       they end, but never hold up a plan that has nothing else.
 * </ul>
 *
 * Thread-safe.
 */
final class FetchQueue {

  /** A store that has not answered for so many intervals does not tell where the stream ends. */
  private static final int STALE_POLLS = 10;

  private final String stream;
  private final Duration pollInterval;
  private final Waits waits;
  private final LongSupplier throttles;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Fetch> queue = new ArrayDeque<>();
  private final FetchWindow window;
  private boolean closed;
  private Stand wanted = Stand.atStep(0);
  private long throttlesSeen;
  private long generation;
  private Throwable failure;
  private boolean failureTaken;
  private boolean idle;
  private Stage stage = Stage.MANIFEST;
  private long answeredAt = System.nanoTime();

  /**
   * @param stream for messages
   * @param throttles how often the store has refused a request until now
   */
  FetchQueue(String stream, ReaderSettings settings, Waits waits, LongSupplier throttles) {
    this.stream = stream;
    this.pollInterval = settings.pollInterval();
    this.waits = waits;
    this.throttles = throttles;
    this.window = new FetchWindow(settings.prefetchBundles(), settings.prefetchBytes());
    this.throttlesSeen = throttles.getAsLong();
  }

  /**
   * Forgets what was fetched; goes on from {@code stand} when the consumer asks for it, so that
   * what it is given then was not fetched before it asked.
   */
  void seek(Stand stand) {
    lock.lock();
    try {
      generation++;
      wanted = stand;
      idle = true;
      failure = null;
      failureTaken = false;
      queue.forEach(this::releaseWhenDone);
      queue.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void releaseWhenDone(Fetch abandoned) {
    var unused = abandoned.sections().whenComplete((sections, error) -> release(abandoned.bytes()));
  }

  /** What was reserved is free again. */
  void release(long bytes) {
    lock.lock();
    try {
      window.end(bytes);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The consumer has taken the last step of the fetch at the head.
   *
   * @param ownNanos the time that it took for the fetch's steps, without waiting
   */
  void done(Fetch fetch, long ownNanos) {
    lock.lock();
    try {
      if (queue.remove(fetch)) {
        window.used(ownNanos);
        release(fetch.bytes());
      }
    } finally {
      lock.unlock();
    }
  }

  /** What a wait has come to. */
  sealed interface Outcome {}

  /** The bytes are here, or have failed to come. */
  record Ready(Fetch fetch) implements Outcome {}

  /** The plan cannot go on. */
  record Failed(Throwable why) implements Outcome {}

  /** The time is up. */
  record Late(Stage stage, String object) implements Outcome {}

  /** The time is up, and there is no such step. */
  record NoStep() implements Outcome {}

  /**
   * Waits for the next step.
   *
   * @param start when the caller began to wait, in {@link System#nanoTime} terms
   * @param nanos how long from then on
   */
  Outcome await(long start, long nanos) {
    lock.lock();
    try {
      begin();
      while (true) {
        if (closed) {
          throw new IllegalStateException("The reader of " + stream + " has been closed.");
        }
        Fetch head = queue.peek();
        if (head != null && head.sections().isDone()) {
          return new Ready(head);
        }
        if (head == null && failure != null) {
          failureTaken = true;
          return new Failed(failure);
        }
        long now = System.nanoTime();
        long left = nanos - (now - start);
        if (left <= 0) {
          return late(head, nanos);
        }
        Stage awaited = head != null ? Stage.FETCH : stage;
        long unused = changed.awaitNanos(left);
        waits.add(awaited, System.nanoTime() - now);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedOperationException("Interrupted while waiting for a step.", e);
    } finally {
      lock.unlock();
    }
  }

  private Outcome late(Fetch head, long nanos) {
    if (head != null) {
      return new Late(Stage.FETCH, head.bundle().bundle().object());
    }
    if (nanos <= 0 || stage == Stage.NEW_STEP) {
      return new NoStep();
    }
    long tolerated = Math.max(nanos, STALE_POLLS * pollInterval.toNanos());
    return stage == Stage.MANIFEST && System.nanoTime() - answeredAt < tolerated
        ? new NoStep()
        : new Late(stage, "");
  }

  private void begin() {
    if (failureTaken || idle) {
      failure = failureTaken ? null : failure;
      failureTaken = false;
      idle = false;
      changed.signalAll();
    }
  }

  /**
   * What is under way, beside what others know.
   *
   * @param steps that were delivered
   * @param requests that were made, for so many {@code bytes}
   */
  ReaderStats stats(long steps, long requests, long bytes) {
    lock.lock();
    try {
      return new ReaderStats(
          waits.snapshot(),
          steps,
          requests,
          bytes,
          window.held(),
          window.limit(),
          window.bytes(),
          Duration.ofNanos(window.latencyNanos()));
    } finally {
      lock.unlock();
    }
  }

  /** Drops all, and lets both sides go. */
  void close() {
    lock.lock();
    try {
      closed = true;
      queue.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Of the planner: to go on, or to begin anew where the consumer wants it. */
  record Turn(long generation, Stand wanted) {}

  /**
   * Waits until there is something to plan.
   *
   * @param mine the generation that the planner is at
   * @return null: the reader is closed
   */
  Turn awaitTurn(long mine) {
    lock.lock();
    try {
      while (!closed && (idle || (mine == generation && (failure != null || isFull())))) {
        changed.awaitUninterruptibly();
      }
      return closed ? null : new Turn(generation, wanted);
    } finally {
      lock.unlock();
    }
  }

  private boolean isFull() {
    return !queue.isEmpty() && !window.admits(1);
  }

  /** Whether a plan of that generation is still wanted. */
  boolean isWanted(long mine) {
    lock.lock();
    try {
      return !closed && mine == generation;
    } finally {
      lock.unlock();
    }
  }

  /** So many fetches may be under way or here. */
  int limit() {
    lock.lock();
    try {
      return window.limit();
    } finally {
      lock.unlock();
    }
  }

  /** Reserves the bytes as soon as they may be; false: they are no longer wanted. */
  boolean awaitRoom(long mine, long bytes) {
    lock.lock();
    try {
      while (!closed && mine == generation && !queue.isEmpty() && !window.admits(bytes)) {
        changed.awaitUninterruptibly();
      }
      if (closed || mine != generation) {
        return false;
      }
      window.begin(bytes);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds a fetch for which there is room.
   *
   * @param start when it was asked for, in {@link System#nanoTime} terms
   * @return whether it is still wanted
   */
  boolean add(long mine, Fetch fetch, long start) {
    boolean added;
    lock.lock();
    try {
      added = mine == generation && !closed;
      if (added) {
        queue.add(fetch);
        changed.signalAll();
      } else {
        releaseWhenDone(fetch);
      }
    } finally {
      lock.unlock();
    }
    var unused = fetch.sections().whenComplete((sections, error) -> answered(fetch, start, error));
    return added;
  }

  /** The plan cannot go on. */
  void fail(long mine, Throwable why) {
    lock.lock();
    try {
      if (mine == generation && !closed) {
        failure = why;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** States what the planner waits for. */
  void enter(Stage entered) {
    lock.lock();
    try {
      if (stage == Stage.MANIFEST && entered != Stage.MANIFEST) {
        answeredAt = System.nanoTime();
      }
      if (stage != entered) {
        stage = entered;
        changed.signalAll(); // Whoever waits, waits for something else now.
      }
    } finally {
      lock.unlock();
    }
  }

  /** A fetch has ended; requests that the store refused meanwhile were repeated underneath. */
  private void answered(Fetch fetch, long start, Throwable error) {
    long now = System.nanoTime();
    lock.lock();
    try {
      long refused = throttles.getAsLong();
      if (refused > throttlesSeen || StoreException.is(error, Fault.THROTTLED)) {
        window.throttled(now);
      } else if (error == null && fetch.bytes() > 0) {
        window.answered(now - start);
      }
      throttlesSeen = refused;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
