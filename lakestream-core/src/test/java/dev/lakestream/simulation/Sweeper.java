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
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.ReclaimSettings;
import dev.lakestream.retention.Reclaimer;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.Random;

/**
 * Runs the real reclaimer, over and over, with settings that leave as little as they can. Its
 * process freezes and dies like any other, and several are at work at once.
 */
final class Sweeper {

  private final World world;
  private final Simulation sim;
  private final Random random;
  private final String name;
  private int attempts;

  Sweeper(World world, String name) {
    this.world = world;
    this.sim = world.sim;
    this.random = sim.random;
    this.name = name;
  }

  void sweep() {
    while (!sim.stopping()) {
      String process = name + "." + ++attempts;
      try {
        Connection store = new Connection(world, process, true);
        TrainingStream stream = TrainingStream.open(store, sim);
        if (world.manifests.isEmpty()) {
          world.trace(process, "waits for manifest 0");
        } else {
          world.trace(process, "reclaims: " + reclaimer(stream).run());
        }
      } catch (StreamNotFoundException | CommitFailedException e) {
        world.trace(process, e.getMessage());
      } catch (StoreException e) {
        if (!e.fault().retryable()) {
          throw e;
        }
        world.trace(process, "fails: " + e.getMessage());
      } catch (Simulation.Killed e) {
        // started again; when all is over, the sleep ends it for good
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(random.nextInt(4) == 0 ? 20_000 : 2_000)));
    }
  }

  private Reclaimer reclaimer(TrainingStream stream) {
    Duration stale =
        world.schedule.staleListings() ? World.STALENESS.plusSeconds(1) : Duration.ZERO;
    ReclaimSettings settings =
        ReclaimSettings.DEFAULT
            .keepManifests(1 + random.nextInt(4))
            .manifestAge(stale)
            .orphanAge(random.nextBoolean() ? Duration.ZERO : Duration.ofHours(1));
    return Reclaimer.of(stream, settings)
        .commits(
            CommitSettings.DEFAULT.withPacing(world.schedule.pacing()),
            new Random(random.nextLong()));
  }
}
