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

import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The store as one process sees it: every request takes time, may meet a fault, and the process may
 * freeze or die before or after it. Blocks the caller, which is how the simulation gets to decide
 * who is next.
 */
final class Connection implements ObjectStore {

  private final World world;

  /** Who is asked for less waits at least half of the first backoff, whatever its jitter. */
  private static final Duration LEAST_WAIT = Duration.ofMillis(25);

  private final Simulation sim;
  private final Random random;
  private final String who;
  private final boolean mortal;
  private String putOff = "";
  private long putOffAt;

  /**
   * @param mortal whether the process may die
   */
  Connection(World world, String who, boolean mortal) {
    this.world = world;
    this.sim = world.sim;
    this.random = world.sim.random;
    this.who = who;
    this.mortal = mortal;
  }

  @Override
  public String address() {
    return world.memory.address();
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    if (key.equals(putOff) && sim.nanoTime() - putOffAt < LEAST_WAIT.toNanos()) {
      world.violation("I7: " + who + " comes again at once with " + key);
    }
    pass();
    CompletableFuture<CreateOutcome> reply;
    boolean askedForLess = false;
    if (random.nextDouble() < world.schedule.faults()) {
      reply =
          switch (random.nextInt(6)) {
            case 0 -> {
              create(key, content);
              yield failed(Fault.TRANSIENT, "applied, and the reply lost: " + key);
            }
            case 1 -> {
              sim.later(duration(60_000), () -> create(key, content));
              yield failed(Fault.TRANSIENT, "applied late, perhaps: " + key);
            }
            case 2 -> failed(Fault.TRANSIENT, "lost: " + key);
            case 3 -> {
              askedForLess = true;
              yield failed(Fault.THROTTLED, "503: " + key);
            }
            case 4 -> {
              askedForLess = true;
              yield CompletableFuture.completedFuture(CreateOutcome.TRY_AGAIN);
            }
            default -> { // the SDK lost the reply and tried again by itself
              create(key, content);
              yield CompletableFuture.completedFuture(CreateOutcome.EXISTS);
            }
          };
    } else {
      reply = CompletableFuture.completedFuture(create(key, content));
    }
    if (world.tracing()) {
      world.trace(who, "create " + key + ": " + reply);
    }
    pass();
    putOff = askedForLess ? key : "";
    putOffAt = sim.nanoTime();
    return reply;
  }

  private CreateOutcome create(String key, Payload content) {
    if (world.lie == Lie.OVERWRITES) {
      Futures.await(world.memory.put(key, content));
      world.created(key, content);
      return CreateOutcome.CREATED;
    }
    CreateOutcome outcome = Futures.await(world.memory.createIfAbsent(key, content));
    if (outcome == CreateOutcome.CREATED) {
      world.created(key, content);
    }
    return world.lie == Lie.TAKEN_IS_CREATED ? CreateOutcome.CREATED : outcome;
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return write(
        () -> {
          world.put(key, content);
          return CompletableFuture.completedFuture(null);
        },
        "put " + key);
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return write(
        () -> {
          world.deleted(key);
          return world.memory.delete(key);
        },
        "delete " + key);
  }

  private CompletableFuture<Void> write(Supplier<CompletableFuture<Void>> request, String what) {
    pass();
    CompletableFuture<Void> reply;
    if (random.nextDouble() < world.schedule.faults()) {
      if (random.nextBoolean()) {
        Futures.await(request.get());
      }
      reply = failed(Fault.TRANSIENT, "500: " + what);
    } else {
      reply = request.get();
    }
    if (world.tracing()) {
      world.trace(who, what + ": " + reply);
    }
    pass();
    return reply;
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return look(() -> world.memory.read(sent(key, offset), offset, length), "read " + key);
  }

  /** The lie about bundles: the first one that there is, to who reads from the beginning. */
  private String sent(String key, long offset) {
    return world.lie == Lie.ANOTHER_BUNDLE
            && offset == 0
            && key.startsWith(StreamKeys.DATA_PREFIX)
            && world.memory.bytes(key) != null
        ? world.memory.keys().stream()
            .filter(other -> other.startsWith(StreamKeys.DATA_PREFIX))
            .findFirst()
            .orElse(key)
        : key;
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return look(() -> world.memory.readSuffix(key, length), "read the end of " + key);
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return look(() -> world.memory.length(key), "length of " + key);
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    int size = Math.min(limit, world.schedule.pageSize());
    boolean stale = world.schedule.staleListings() && random.nextInt(4) == 0;
    return look(
        () ->
            stale
                ? CompletableFuture.completedFuture(
                    stalePage(prefix, startAfter, size, duration(World.STALENESS.toMillis())))
                : world.memory.list(prefix, startAfter, size).thenApply(p -> told(p, startAfter)),
        "list after " + startAfter);
  }

  private Listing stalePage(String prefix, String startAfter, int size, Duration ago) {
    List<Listing.Entry> rest =
        world.keys(prefix, ago).tailMap(startAfter, false).keySet().stream()
            .map(key -> new Listing.Entry(key, 1, world.modifiedAt(key)))
            .toList();
    return new Listing(rest.subList(0, Math.min(size, rest.size())), rest.size() > size);
  }

  /** The lie about listings: what was asked about stands alone, if it is there. */
  private Listing told(Listing page, String startAfter) {
    var asked = StreamKeys.manifestVersion(startAfter);
    if (world.lie != Lie.NOTHING_FOLLOWS || asked.isEmpty()) {
      return page;
    }
    String next = StreamKeys.manifest(asked.getAsLong() + 1);
    List<Listing.Entry> alone =
        page.objects().stream().filter(entry -> entry.key().equals(next)).toList();
    return alone.isEmpty() ? page : new Listing(alone, false);
  }

  private <T> CompletableFuture<T> look(Supplier<CompletableFuture<T>> request, String what) {
    pass();
    CompletableFuture<T> reply;
    if (random.nextDouble() < world.schedule.faults()) {
      Fault fault =
          switch (random.nextInt(3)) {
            case 0 -> Fault.THROTTLED;
            case 1 -> Fault.SHORT_REPLY;
            default -> Fault.TRANSIENT;
          };
      reply = failed(fault, what);
    } else {
      reply = request.get();
    }
    if (world.tracing()) {
      world.trace(who, what + ": " + reply);
    }
    pass();
    return reply;
  }

  /**
   * Time passes: a little, or, when the process is frozen, much. It may not live to see the end.
   */
  private void pass() {
    double drawn = random.nextDouble();
    Duration latency = duration(20);
    if (drawn < world.schedule.freezes()) {
      latency =
          switch (random.nextInt(4)) {
            case 0 -> duration(300);
            case 1 -> duration(3_000);
            case 2 -> duration(30_000);
            default -> duration(200_000);
          };
    }
    sim.sleep(latency);
    if (mortal && random.nextDouble() < world.schedule.deaths()) {
      world.trace(who, "dies");
      throw new Simulation.Killed();
    }
  }

  private Duration duration(long millis) {
    return Duration.ofNanos(1 + random.nextLong(millis * 1_000_000));
  }

  private static <T> CompletableFuture<T> failed(Fault fault, String what) {
    return CompletableFuture.failedFuture(new StoreException(fault, what));
  }

  @Override
  public void close() {}
}
