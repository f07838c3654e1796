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

import dev.lakestream.commit.CommitFailedException;
import dev.lakestream.commit.CommitLoop;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.ReclaimedException;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.StoreException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Everyone who is at work beside the producers: readers, and those who take old things away. */
final class Follower {

  private final World world;
  private final Simulation sim;
  private final Random random;
  private final String name;
  private final ObjectStore store;

  Follower(World world, String name) {
    this.world = world;
    this.sim = world.sim;
    this.random = sim.random;
    this.name = name;
    this.store = new Connection(world, name, false);
  }

  /** Follows the stream, and notes down what it sees at which step. */
  void read() {
    TrainingStream stream = open();
    Manifest known = null;
    long seen = 0;
    while (!sim.stopping()) {
      try {
        Manifest newest = known == null ? stream.log().newest() : stream.log().newest(known);
        if (newest != known) {
          Map<Long, String> steps = new HashMap<>();
          long from = Math.max(seen, newest.firstStep());
          for (BundleDescriptor bundle : stream.history(newest).bundles(from, 10_000)) {
            steps.put(bundle.firstStep(), bundle.bundle().object());
          }
          world.sightings.add(new World.Sighting(name, newest.version(), newest.commitId(), steps));
          seen = newest.nextStep();
          known = newest;
          for (String object : steps.values()) {
            if (random.nextInt(8) == 0) {
              taste(object);
            }
          }
        } else if (random.nextInt(4) == 0 && !stream.log().isHead(known)) {
          known = null;
        }
      } catch (ReclaimedException e) {
        world.trace(name, e.getMessage());
        known = null;
      } catch (TrimmedException e) {
        // between the two reads it was given up
        world.trace(name, e.getMessage());
      } catch (StoreException e) {
        if (e.fault() == Fault.MISSING) {
          requireReclaimed(e);
          known = null;
        } else {
          requireRetryable(e);
        }
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(random.nextInt(5) == 0 ? 20_000 : 1_000)));
    }
  }

  /** Reads of the bundle what no other begins with. */
  private void taste(String object) {
    try {
      ByteBuffer bytes = Futures.await(store.read(object, 0, World.TASTE));
      byte[] taste = new byte[World.TASTE];
      bytes.get(taste);
      world.received.add(new World.Received(name, object, taste));
    } catch (StoreException e) {
      if (e.fault() != Fault.MISSING) { // the audit looks at what was deleted, and when
        requireRetryable(e);
      }
    }
  }

  /** A segment may go only when no manifest that leads to it is left. */
  private void requireReclaimed(StoreException missing) {
    for (String key : world.memory.keys()) {
      var version = StreamKeys.manifestVersion(key);
      if (version.isPresent()) {
        TrainingStream now = TrainingStream.open(world.memory, sim);
        now.log()
            .at(version.getAsLong())
            .filter(manifest -> world.isLive(manifest.commitId()))
            .ifPresent(
                manifest -> {
                  try {
                    now.history(manifest).bundles(manifest.firstStep(), Integer.MAX_VALUE);
                  } catch (StoreException e) {
                    world.violation(
                        "manifest " + manifest.version() + " leads to nothing: " + e.getMessage());
                  }
                });
      }
    }
    world.trace(name, missing.getMessage());
  }

  /** Frees old manifest numbers, the oldest first, and never the head. */
  void reclaim() {
    TrainingStream stream = open();
    while (!sim.stopping()) {
      try {
        long head = stream.log().newest().version();
        long keep = random.nextInt(4);
        for (long version : world.reclaimable(head - keep)) {
          Futures.await(store.delete(StreamKeys.manifest(version)));
        }
      } catch (StoreException e) {
        requireRetryable(e);
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(3_000)));
    }
  }

  /** Gives up old steps. */
  void trim() {
    TrainingStream stream = open();
    CommitLoop loop =
        new CommitLoop(
            stream,
            CommitSettings.DEFAULT.withPacing(world.schedule.pacing()),
            new Random(random.nextLong()),
            new CommitMetrics());
    while (!sim.stopping()) {
      try {
        loop.commit(
            base -> {
              int bundles = base.tail().size();
              if (bundles < 2) {
                return Optional.empty();
              }
              BundleDescriptor keep = base.tail().get(random.nextInt(bundles / 2));
              return keep.firstStep() <= base.firstStep()
                  ? Optional.empty()
                  : Optional.of(
                      new NextManifest(base, "trim").trim(keep.firstStep(), keep.firstRow()));
            });
      } catch (CommitFailedException e) {
        world.trace(name, e.getMessage());
      } catch (StoreException e) {
        requireRetryable(e);
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(20_000)));
    }
  }

  private TrainingStream open() {
    while (!sim.stopping()) {
      try {
        TrainingStream stream = TrainingStream.open(store, sim);
        if (!world.manifests.isEmpty()) {
          return stream;
        }
        world.trace(name, "waits for manifest 0");
      } catch (StreamNotFoundException e) {
        world.trace(name, "waits for the stream");
      } catch (StoreException e) {
        requireRetryable(e);
      }
      sim.sleep(Duration.ofMillis(500));
    }
    throw new Simulation.Killed();
  }

  private static void requireRetryable(StoreException e) {
    if (!e.fault().retryable()) {
      throw e;
    }
  }
}
