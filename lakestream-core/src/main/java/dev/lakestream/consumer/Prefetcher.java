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

import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Fault;
import dev.lakestream.store.InterruptedOperationException;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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
  private final Topology topology;
  private final ReaderSettings settings;
  private final ManifestWatch watch;
  private final Waits waits;
  private final MeteredStore store;
  private final long mostPartBytes;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Fetch> queue = new ArrayDeque<>();
  private final FetchWindow window;
  private Thread planner;
  private boolean closed;
  private Stand wanted = Stand.atStep(0);
  private long throttlesSeen;
  private long generation;
  private Throwable failure;
  private boolean failureTaken;
  private boolean idle;
  private Stage stage = Stage.MANIFEST;
  private long answeredAt = System.nanoTime();

  Prefetcher(
      TrainingStream stream,
      Topology topology,
      ReaderSettings settings,
      ManifestWatch watch,
      Waits waits) {
    this.stream = stream;
    this.topology = topology;
    this.settings = settings;
    this.watch = watch;
    this.waits = waits;
    this.store = new MeteredStore(stream.store());
    this.window = new FetchWindow(settings.prefetchBundles(), settings.prefetchBytes());
    this.throttlesSeen = store.throttles();
    this.mostPartBytes =
        Math.min(Integer.MAX_VALUE - 1024, Math.max(1, settings.prefetchBytes() / 2));
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
    watch.wake();
  }

  private void releaseWhenDone(Fetch abandoned) {
    var unused = abandoned.sections().whenComplete((sections, error) -> release(abandoned.bytes()));
  }

  private void release(long bytes) {
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
      planner = new Thread(new Planner(), "lakestream-reader-" + topology.d() + "-" + topology.c());
      planner.setDaemon(true);
      planner.start();
    }
  }

  /** What is under way and what was asked for, beside what the reader itself knows. */
  ReaderStats stats(long steps) {
    lock.lock();
    try {
      return new ReaderStats(
          waits.snapshot(),
          steps,
          store.requests(),
          store.bytes(),
          window.held(),
          window.limit(),
          window.bytes(),
          Duration.ofNanos(window.latencyNanos()));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      queue.clear();
      if (planner != null) {
        planner.interrupt();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    watch.wake();
    watch.leave();
  }

  /** The thread that decides what to fetch. */
  private final class Planner implements Runnable {

    private final Deque<BundlePlan> plans = new ArrayDeque<>();
    private long mine = -1;
    private Stand next;

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
        while (!closed && (idle || (mine == generation && (failure != null || isFull())))) {
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

    private boolean isFull() {
      return !queue.isEmpty() && !window.admits(1);
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
      Manifest known = watch.manifest();
      if (!reach(known)) {
        watch.look(stream, known, settings.pollInterval(), this::isWanted, Prefetcher.this::enter);
        return false;
      }
      enter(Stage.LOOKUP);
      BundleLookup lookup =
          watch.lookUp(
              stream, manifest -> new BundleLookup(stream, topology, manifest, next, lookAhead()));
      Stand from = lookup.from();
      next = from;
      for (BundleDescriptor bundle : lookup.bundles()) {
        plans.add(BundlePlan.of(stream, store, bundle, topology, from, lookup.manifest()));
        from = lookup.after(from, bundle);
      }
      return !plans.isEmpty();
    }

    private boolean reach(Manifest manifest) {
      return BundleLookup.isThere(topology, next, manifest);
    }

    private boolean isWanted() {
      lock.lock();
      try {
        return !closed && mine == generation;
      } finally {
        lock.unlock();
      }
    }

    /** So many bundles are planned at once: their footers are read side by side. */
    private int lookAhead() {
      lock.lock();
      try {
        return window.limit();
      } finally {
        lock.unlock();
      }
    }

    /** Reserves the bytes as soon as they may be; false: they are no longer wanted. */
    private boolean awaitRoom(long bytes) {
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

    private void submit(BundlePlan plan, BundlePlan.Part part) {
      long start = System.nanoTime();
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
          next = fetch.next();
          changed.signalAll();
        } else {
          releaseWhenDone(fetch);
        }
      } finally {
        lock.unlock();
      }
      var unused =
          fetch.sections().whenComplete((sections, error) -> answered(fetch, start, error));
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

  private void enter(Stage entered) {
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
      long throttles = store.throttles();
      if (throttles > throttlesSeen || StoreException.is(error, Fault.THROTTLED)) {
        window.throttled(now);
      } else if (error == null && fetch.bytes() > 0) {
        window.answered(now - start);
      }
      throttlesSeen = throttles;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
