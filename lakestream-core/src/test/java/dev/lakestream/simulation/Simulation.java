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
package dev.lakestream.simulation;

import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs actors in virtual time, one at a time and in an order that the seed alone decides. An actor
 * runs until it sleeps (every request to the store is a sleep); then whoever is due first goes on,
 * and the clock jumps there. Real code thus runs on real threads without a single race, and any run
 * can be had again from its seed.
 */
final class Simulation implements Time {

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "simulated");
            thread.setDaemon(true);
            return thread;
          });

  /** So many wake-ups at most, against schedules that never end. */
  private static final int MAX_EVENTS = 600_000;

  final Random random;
  private final PriorityQueue<Event> queue = new PriorityQueue<>();
  private final List<String> failures = new ArrayList<>();
  private Thread main;
  private volatile Event running;
  private volatile boolean over;
  private boolean stopping;
  private long nanos = 1_000_000_000L;
  private long events;
  private int required;

  Simulation(long seed) {
    this.random = new Random(seed);
  }

  /** What an actor does, from its start to its end. */
  interface Actor {
    void run() throws Exception;
  }

  /** The actor's process dies here and now; nothing that it would do next is done. */
  static final class Killed extends Error {

    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** A point of time at which an actor goes on, or something happens to the store. */
  private static final class Event implements Comparable<Event> {
    private final long at;
    private final long order;
    private final Runnable happening;
    private volatile Thread actor;

    private Event(long at, long order, Runnable happening) {
      this.at = at;
      this.order = order;
      this.happening = happening;
    }

    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  /** Starts an actor that the simulation waits for. */
  void start(String name, Actor actor) {
    required++;
    launch(name, actor, true);
  }

  /** Starts an actor that ends when all of those that are waited for have ended. */
  void startBackground(String name, Actor actor) {
    launch(name, actor, false);
  }

  private void launch(String name, Actor actor, boolean isRequired) {
    Event begin = new Event(nanos, events++, null);
    queue.add(begin);
    Runnable body =
        () -> {
          begin.actor = Thread.currentThread();
          awaitTurn(begin);
          try {
            if (!over) {
              actor.run();
            }
          } catch (Killed end) {
            // as it was meant to
          } catch (Throwable failure) {
            failures.add(name + " failed: " + failure);
          }
          if (isRequired && --required == 0) {
            stopping = true;
          }
          passOn();
        };
    THREADS.execute(body);
  }

  /** Lets something happen later. */
  void later(Duration delay, Runnable happening) {
    queue.add(new Event(nanos + delay.toNanos(), events++, happening));
  }

  /**
   * Runs until all actors have ended.
   *
   * @return what actors died of
   */
  List<String> run() {
    main = Thread.currentThread();
    passOn();
    while (!over) {
      LockSupport.park(this);
    }
    return failures;
  }

  /** Whether the actors in the background are to end. */
  boolean stopping() {
    return stopping;
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public long currentTimeMillis() {
    return 1_700_000_000_000L + nanos / 1_000_000;
  }

  @Override
  public void sleep(Duration duration) {
    if (over) {
      throw new Killed();
    }
    Event wake = new Event(nanos + duration.toNanos(), events++, null);
    wake.actor = Thread.currentThread();
    queue.add(wake);
    if (events > MAX_EVENTS) {
      failures.add("it does not end");
      end();
      throw new Killed();
    }
    passOn();
    awaitTurn(wake);
    if (over) {
      throw new Killed();
    }
  }

  private void awaitTurn(Event mine) {
    while (running != mine && !over) {
      LockSupport.park(this);
    }
  }

  /** Gives the turn to whoever is due; called by the one that has it. */
  private void passOn() {
    if (over) {
      return;
    }
    Event next;
    while ((next = queue.poll()) != null) {
      nanos = Math.max(nanos, next.at);
      if (next.happening == null) {
        running = next;
        Thread actor = next.actor; // null: not started yet, and will see that it is its turn
        if (actor != Thread.currentThread()) {
          LockSupport.unpark(actor);
        }
        return;
      }
      next.happening.run();
    }
    end();
  }

  private void end() {
    over = true;
    LockSupport.unpark(main);
    queue.forEach(event -> LockSupport.unpark(event.actor));
  }
}
