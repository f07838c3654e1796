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

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ReclaimedException;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.retention.RankRecorder;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A training job: its ranks go ahead together, checkpoint, and record. It dies at any moment, and
 * goes on from any of the checkpoints that it keeps, with the same or another number of ranks.
 */
final class Ranks {

  static final String GROUP = "train";

  private final World world;
  private final Simulation sim;
  private final Random random;
  private final int keep;

  /** Where its complete model checkpoints stand: these survive whatever happens. */
  private final List<Cursor> checkpoints = new ArrayList<>();

  private long generation;
  private int worldSize = 1;

  Ranks(World world) {
    this.world = world;
    this.sim = world.sim;
    this.random = sim.random;
    this.keep = 1 + random.nextInt(3);
  }

  void train() {
    while (!sim.stopping()) {
      String process = "ranks." + generation;
      try {
        TrainingStream stream = TrainingStream.open(new Connection(world, process, true), sim);
        if (!world.manifests.isEmpty()) {
          train(stream);
        }
      } catch (StreamNotFoundException e) {
        world.trace(process, e.getMessage());
      } catch (TrimmedException e) {
        world.violation("a checkpoint that is kept cannot be restored: " + e.getMessage());
      } catch (StoreException e) {
        if (!e.fault().retryable()) {
          throw e;
        }
        world.trace(process, "fails: " + e.getMessage());
      } catch (Simulation.Killed e) {
        // started again; when all is over, the sleep ends it for good
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(5_000)));
    }
  }

  private void train(TrainingStream stream) {
    generation++;
    worldSize = 1 + random.nextInt(3);
    Cursor start = restored(stream);
    List<RankRecorder> ranks = new ArrayList<>();
    for (int rank = 0; rank < worldSize; rank++) {
      RankRecorder recorder = new RankRecorder(stream, GROUP, rank, worldSize, generation, keep);
      recorder.register(start);
      ranks.add(recorder);
    }
    Manifest known = stream.log().newest();
    long step = start.step();
    while (!sim.stopping()) {
      try {
        known = stream.log().newest(known);
      } catch (ReclaimedException e) {
        known = stream.log().newest();
      }
      if (known.nextStep() > step) {
        step += 1 + random.nextInt((int) (known.nextStep() - step));
        Cursor checkpoint = new Cursor(stream.id(), known.version(), step, new Mesh(2, 1));
        checkpoints.add(checkpoint);
        if (checkpoints.size() > keep) {
          checkpoints.remove(0);
        }
        ranks.forEach(rank -> rank.record(checkpoint));
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(3_000)));
    }
  }

  /** One of the newest that it keeps; those that came after it are an abandoned branch. */
  private Cursor restored(TrainingStream stream) {
    if (checkpoints.isEmpty()) {
      return new Cursor(stream.id(), 0, 0, new Mesh(2, 1));
    }
    int chosen = random.nextInt(checkpoints.size());
    checkpoints.subList(chosen + 1, checkpoints.size()).clear();
    return checkpoints.get(chosen);
  }
}
