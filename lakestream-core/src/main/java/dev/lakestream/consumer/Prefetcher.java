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

import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.InterruptedOperationException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Fetches ahead of the consumer: one thread plans (follows manifests, looks up bundles, starts
 * requests), the store's threads fetch, and the consumer takes fetches in step order.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>The plan runs ahead of the consumer and says nothing about what was delivered: the consumer
 *       keeps its own position, and whatever goes wrong here, {@link #seek} to that position starts
 *       over.
 *   <li>A failure belongs to the step at which the plan stands. It is handed out when all steps
 *       before it have been taken; then the plan waits for the next call and tries again.
 *   <li>Memory is reserved before it is asked for. Requests that a seek has abandoned count until
 *       they end, but never hold up a plan that has nothing else.
 * </ul>
 */
final class Prefetcher implements AutoCloseable {

  /** A store that has not answered for so many intervals does not tell where the stream ends. */
  private static final int STALE_POLLS = 10;

  private final TrainingStream stream;
  private final RankPosition position;
  private final ReaderSettings settings;
  private final ManifestFollower follower;
  private final Waits waits;
  private final long mostPartBytes;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Fetch> queue = new ArrayDeque<>();
  private Thread planner;
  private boolean closed;
  private long reserved;
  private long wanted;
  private long generation;
  private Throwable failure;
  private boolean failureTaken;
  private boolean idle;
  private Stage stage = Stage.MANIFEST;
  private long answeredAt = System.nanoTime();

  Prefetcher(
      TrainingStream stream,
      RankPosition position,
      ReaderSettings settings,
      ManifestFollower follower,
      Waits waits) {
    this.stream = stream;
    this.position = position;
    this.settings = settings;
    this.follower = follower;
    this.waits = waits;
    this.mostPartBytes =
        Math.min(Integer.MAX_VALUE - 1024, Math.max(1, settings.prefetchBytes() / 2));
  }

  /**
   * Forgets what was fetched; goes on from {@code step} when the consumer asks for it, so that what
   * it is given then was not fetched before it asked.
   */
  void seek(long step) {
    lock.lock();
    try {
      generation++;
      wanted = step;
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
    var unused = abandoned.section().whenComplete((section, error) -> release(abandoned.bytes()));
  }

  private void release(long bytes) {
    lock.lock();
    try {
      reserved -= bytes;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The consumer has taken the last step of the fetch at the head. */
  void done(Fetch fetch) {
    lock.lock();
    try {
      if (queue.remove(fetch)) {
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
        if (head != null && head.section().isDone()) {
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
    long tolerated = Math.max(nanos, STALE_POLLS * settings.pollInterval().toNanos());
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
    if (planner == null && !closed) {
      planner = new Thread(new Planner(), "lakestream-reader-" + position.d() + "-" + position.c());
      planner.setDaemon(true);
      planner.start();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      queue.clear();
      if (planner != null) {
        planner.interrupt();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The thread that decides what to fetch. */
  private final class Planner implements Runnable {

    private final Deque<BundlePlan> plans = new ArrayDeque<>();
    private long mine = -1;
    private long next;

    @Override
    public void run() {
      while (awaitTurn()) {
        try {
          plan();
        } catch (Throwable e) { // An Error too must reach the consumer, who would wait for ever.
          fail(e);
        }
      }
    }

    /** Waits until there is something to do; false: the reader is closed. */
    private boolean awaitTurn() {
      lock.lock();
      try {
        while (!closed && (idle || (mine == generation && (failure != null || queueIsFull())))) {
          changed.awaitUninterruptibly();
        }
        if (mine != generation) {
          mine = generation;
          next = wanted;
          plans.clear();
        }
        return !closed;
      } finally {
        lock.unlock();
      }
    }

    private boolean queueIsFull() {
      return queue.size() >= settings.prefetchBundles();
    }

    private void plan() {
      if (plans.isEmpty() && !lookUp()) {
        return;
      }
      enter(Stage.FETCH);
      BundlePlan plan = plans.peek();
      for (BundlePlan.Part part : plan.parts(mostPartBytes)) {
        if (!awaitRoom(part.bytes())) {
          return;
        }
        submit(plan, part);
      }
      plans.remove();
    }

    /** Finds the bundles whose turn is next; false: there are none yet. */
    private boolean lookUp() {
      if (next >= follower.manifest().nextStep()) {
        enter(Stage.MANIFEST);
        boolean advanced = follower.advance();
        if (!advanced || next >= follower.manifest().nextStep()) {
          enter(Stage.NEW_STEP);
          if (!advanced) {
            pause();
          }
          return false;
        }
      }
      enter(Stage.LOOKUP);
      Manifest manifest = follower.manifest();
      for (BundleDescriptor bundle :
          stream.history(manifest).bundles(next, settings.prefetchBundles())) {
        long from = Math.max(next, bundle.firstStep());
        plans.add(BundlePlan.of(stream, bundle, position, from, manifest.version()));
      }
      return !plans.isEmpty();
    }

    private void enter(Stage entered) {
      lock.lock();
      try {
        if (stage == Stage.MANIFEST && entered != Stage.MANIFEST) {
          answeredAt = System.nanoTime();
        }
        stage = entered;
        changed.signalAll(); // Whoever waits, waits for something else now.
      } finally {
        lock.unlock();
      }
    }

    /** Between two looks for a newer manifest; ended early by a seek or a close. */
    private void pause() {
      double jitter = 0.5 + ThreadLocalRandom.current().nextDouble();
      long left = (long) (settings.pollInterval().toNanos() * jitter);
      lock.lock();
      try {
        while (left > 0 && !closed && mine == generation) {
          left = changed.awaitNanos(left);
        }
      } catch (InterruptedException e) {
        // Closed: awaitTurn sees it.
      } finally {
        lock.unlock();
      }
    }

    /** Reserves the bytes as soon as they may be; false: they are no longer wanted. */
    private boolean awaitRoom(long bytes) {
      lock.lock();
      try {
        while (!closed
            && mine == generation
            && !queue.isEmpty()
            && (queueIsFull() || reserved + bytes > settings.prefetchBytes())) {
          changed.awaitUninterruptibly();
        }
        if (closed || mine != generation) {
          return false;
        }
        reserved += bytes;
        return true;
      } finally {
        lock.unlock();
      }
    }

    private void submit(BundlePlan plan, BundlePlan.Part part) {
      Fetch fetch;
      try {
        fetch = plan.start(part);
      } catch (RuntimeException e) {
        release(part.bytes());
        throw e;
      }
      lock.lock();
      try {
        if (mine == generation && !closed) {
          queue.add(fetch);
          next = fetch.nextStep();
          changed.signalAll();
        } else {
          releaseWhenDone(fetch);
        }
      } finally {
        lock.unlock();
      }
      var unused = fetch.section().whenComplete((section, error) -> signal());
    }

    private void signal() {
      lock.lock();
      try {
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private void fail(Throwable e) {
      plans.clear();
      lock.lock();
      try {
        if (mine == generation && !closed) {
          failure = e;
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
