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

import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** One schedule from its seed to its verdict. */
final class Scenario {

  private final World world;
  private final Simulation sim;
  private final Random random;
  private final Map<String, UUID> finished = new HashMap<>();

  private Scenario(long seed, Lie lie, List<String> trace) {
    this.sim = new Simulation(seed);
    this.random = sim.random;
    this.world = new World(sim, Schedule.draw(seed), lie, trace);
  }

  /**
   * Runs it.
   *
   * @param trace takes every request and its reply; null: none is kept
   * @return what went wrong; empty: nothing
   */
  static List<String> run(long seed, Lie lie, List<String> trace) {
    return new Scenario(seed, lie, trace).run();
  }

  private List<String> run() {
    Schedule schedule = world.schedule;
    world.trace("schedule", schedule.toString());
    if (random.nextInt(3) != 0) {
      TrainingStream.openOrCreate(world.memory, Chain.INFO, sim);
      world.created(StreamKeys.manifest(0), Payload.of(world.memory.bytes(StreamKeys.manifest(0))));
    }
    for (int i = 0; i < schedule.producers(); i++) {
      String producer = "p" + i;
      sim.start(producer, () -> supervise(producer));
    }
    for (int i = 0; i < schedule.readers(); i++) {
      Follower reader = new Follower(world, "reader-" + i);
      sim.startBackground("reader-" + i, reader::read);
    }
    for (int i = 0; i < schedule.reclaimers(); i++) {
      Sweeper sweeper = new Sweeper(world, "reclaimer-" + i);
      sim.startBackground("reclaimer-" + i, sweeper::sweep);
    }
    for (int i = 0; i < schedule.redactors(); i++) {
      Redactor redactor = new Redactor(world, "redactor-" + i);
      sim.startBackground("redactor-" + i, redactor::redact);
    }
    if (schedule.reclaimers() > 0) {
      sim.startBackground("ranks", new Ranks(world)::train);
    }
    if (schedule.reclaims() && schedule.reclaimers() == 0) {
      sim.startBackground("reclaimer", new Follower(world, "reclaimer")::reclaim);
    }
    if (schedule.trims() && schedule.reclaimers() == 0) {
      sim.startBackground("trimmer", new Follower(world, "trimmer")::trim);
    }
    world.violations.addAll(sim.run());
    try {
      Audit.check(world, finished);
    } catch (RuntimeException e) {
      world.violation("the audit failed: " + e);
    }
    return world.violations;
  }

  /**
   * Whoever operates a producer: submits jobs, more of them at random moments, and sees to it that
   * in the end one has finished.
   */
  private void supervise(String producer) {
    List<Job.Checkpoint> retained = new ArrayList<>();
    int[] running = {0};
    for (int i = 0; i < world.schedule.submissions(); i++) {
      sim.later(
          Duration.ofMillis(random.nextInt(60_000)),
          () -> {
            running[0]++;
            Job job = new Job(world, producer, retained, anyOf(retained));
            sim.startBackground(
                job.name,
                () -> {
                  try {
                    finish(producer, job);
                  } finally {
                    running[0]--;
                  }
                });
          });
    }
    finish(producer, new Job(world, producer, retained, null));
    sim.sleep(Duration.ofMillis(60_000));
    while (running[0] > 0) {
      sim.sleep(Duration.ofMillis(1_000));
    }
    for (int newest = retained.size() - 1; !finished.containsKey(producer); newest--) {
      Job.Checkpoint from = newest < 0 ? null : retained.get(newest);
      finish(producer, new Job(world, producer, retained, from));
    }
  }

  private void finish(String producer, Job job) {
    Job.End end = job.run();
    if (end == Job.End.FINISHED) {
      finished.put(producer, job.owner);
    }
  }

  private Job.Checkpoint anyOf(List<Job.Checkpoint> retained) {
    if (retained.isEmpty() || random.nextInt(8) == 0) {
      return null;
    }
    int newest = retained.size() - 1;
    return retained.get(random.nextInt(3) == 0 ? random.nextInt(newest + 1) : newest);
  }
}
