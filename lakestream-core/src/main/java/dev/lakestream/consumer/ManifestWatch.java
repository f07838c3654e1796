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

import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Fault;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The newest manifest of a stream that this process knows: all readers of the stream share one, and
 * of those that wait for a newer one a single one asks the store, once in a while. It asks through
 * its own store, so that no reader depends on another one's, and the next one takes over when it
 * leaves or fails.
 *
 * <p>Assumes what {@link ManifestFollower} does. Thread-safe; what it calls back must not come back
 * to it.
 */
final class ManifestWatch {

  private static final Map<Key, ManifestWatch> OPEN = new HashMap<>();

  /** One stream under one address: a copy elsewhere may be older. */
  private record Key(String address, UUID stream) {}

  private final Key key;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private ManifestFollower follower;
  private boolean asking;
  private long askedAt;
  private long dueAt;
  private int members;

  private ManifestWatch(Key key) {
    this.key = key;
  }

  /**
   * Joins those who watch the stream; asks the store unless one of them has done so within the
   * interval.
   */
  static ManifestWatch join(TrainingStream stream, ReaderSettings settings) {
    ManifestWatch watch;
    synchronized (OPEN) {
      Key key = new Key(stream.store().address(), stream.id());
      watch = OPEN.computeIfAbsent(key, ManifestWatch::new);
      watch.members++;
    }
    try {
      watch.begin(stream, settings);
      return watch;
    } catch (RuntimeException | Error e) {
      watch.leave();
      throw e;
    }
  }

  private void begin(TrainingStream stream, ReaderSettings settings) {
    lock.lock();
    try {
      if (follower == null) {
        follower = new ManifestFollower(stream, settings.confirmInterval());
        dueAt = System.nanoTime();
      } else if (System.nanoTime() - askedAt > settings.pollInterval().toNanos()) {
        var unused = follower.advance(stream);
      } else {
        return;
      }
      askedAt = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  void leave() {
    synchronized (OPEN) {
      if (--members == 0) {
        OPEN.remove(key, this);
      }
    }
  }

  /** The newest one known. */
  Manifest manifest() {
    return follower.manifest();
  }

  /**
   * Looks for a manifest that is newer than {@code known}, once; or waits for what another reader's
   * look brings, or for the time at which the next look is due.
   *
   * @param wanted asked again whenever something changes; false: whoever asks has other plans
   * @param enter told what is being waited for
   * @return whether there is a newer one
   */
  boolean look(
      TrainingStream through,
      Manifest known,
      Duration interval,
      BooleanSupplier wanted,
      Consumer<Stage> enter) {
    if (!awaitTurn(known, wanted, enter)) {
      return manifest().version() > known.version();
    }
    enter.accept(Stage.MANIFEST);
    boolean advanced = false;
    try {
      advanced = follower.advance(through);
    } finally {
      lock.lock();
      try {
        double jitter = 0.5 + ThreadLocalRandom.current().nextDouble();
        asking = false;
        askedAt = System.nanoTime();
        dueAt = askedAt + (advanced ? 0 : (long) (interval.toNanos() * jitter));
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
    enter.accept(Stage.NEW_STEP);
    return advanced;
  }

  /** Whether it is for the caller to ask the store; false: there is no need to any more. */
  private boolean awaitTurn(Manifest known, BooleanSupplier wanted, Consumer<Stage> enter) {
    lock.lock();
    try {
      while (wanted.getAsBoolean() && follower.manifest().version() <= known.version()) {
        long left = dueAt - System.nanoTime();
        if (asking) {
          enter.accept(Stage.MANIFEST);
          changed.await();
        } else if (left > 0) {
          enter.accept(Stage.NEW_STEP);
          long unused = changed.awaitNanos(left);
        } else {
          asking = true;
          return true;
        }
      }
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // Closed: whoever waits sees it.
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Whoever waits has other plans, perhaps. */
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Goes to the newest manifest: an older one may lead to what has been reclaimed since.
   *
   * @return the newest
   */
  Manifest renew(TrainingStream through) {
    Manifest newest = through.log().newest();
    follower.accept(newest);
    wake();
    return manifest();
  }

  /**
   * What a lookup in the history of the newest known manifest gives; in that of the newest one that
   * there is, should the known one lead to a segment that has been reclaimed.
   */
  <T> T lookUp(TrainingStream through, Function<Manifest, T> lookup) {
    try {
      return lookup.apply(manifest());
    } catch (StoreException e) {
      if (e.fault() != Fault.MISSING) {
        throw e;
      }
      return lookup.apply(renew(through));
    }
  }
}
