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
package dev.lakestream.commit;

import dev.lakestream.commit.OwnedStream.Committable;
import dev.lakestream.commit.OwnedStream.Outcome;
import dev.lakestream.manifest.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * One random schedule of what Flink may do to a sink. Commits are atomic here; what happens inside
 * one is the matter of the protocol's simulation.
 */
final class OwnershipSchedule {

  private final Random random;
  private final OnRewind onRewind;
  private final int submissions;
  private final boolean ignoreBranches;
  private final OwnedStream stream;
  private final List<Job> jobs = new ArrayList<>();
  private final List<Checkpoint> retained = new ArrayList<>();
  private final List<Zombie> zombies = new ArrayList<>();
  private long ids;

  OwnershipSchedule(long seed, OnRewind onRewind, int submissions, boolean ignoreBranches) {
    this.random = new Random(seed);
    this.onRewind = onRewind;
    this.stream = new OwnedStream(onRewind);
    this.submissions = submissions;
    this.ignoreBranches = ignoreBranches;
  }

  private record Checkpoint(
      UUID owner, UUID lineage, long id, long offset, List<Committable> pending) {}

  /** A commit that lands when its job is long gone. */
  private record Zombie(UUID owner, Committable committable) {}

  /** One submission; its attempts restart from the last completed checkpoint. */
  private final class Job {
    private final UUID owner = uuid();
    private final Checkpoint first;
    private Checkpoint completed;
    private Checkpoint underWay;
    private boolean alive = true;
    private UUID lineage;
    private long checkpoint;
    private long offset;
    private long begin;
    private List<Committable> pending;
    private List<Long> objects;

    Job(Checkpoint restored) {
      this.first = restored;
      start(restored);
    }

    void start(Checkpoint restored) {
      Claim.Start start =
          restored == null
              ? new Claim.Fresh()
              : new Claim.Restored(restored.lineage, restored.owner, restored.id);
      Optional<UUID> granted = claim(start);
      alive = granted.isPresent();
      if (!alive) {
        return;
      }
      lineage = granted.get();
      checkpoint = restored == null ? 0 : restored.id;
      offset = restored == null ? 0 : restored.offset;
      begin = offset;
      pending = new ArrayList<>(restored == null ? List.of() : restored.pending);
      objects = new ArrayList<>();
      completed = restored;
      underWay = null;
      pending.forEach(this::publish);
      pending.clear();
    }

    private Optional<UUID> claim(Claim.Start start) {
      Ownership.Verdict verdict =
          Ownership.claim(
              stream.entry(),
              new Claim("p", owner, "a job", start),
              onRewind,
              0,
              OwnershipSchedule.this::uuid);
      if (verdict instanceof Ownership.Rewound rewound && isBranchOnly(rewound, start)) {
        UUID restored = ((Claim.Restored) start).lineage();
        verdict =
            new Ownership.Take(
                stream.entry().orElseThrow().withOwner(new Owner(owner, restored, "", 0), 0),
                false);
      }
      if (verdict instanceof Ownership.Take take) {
        stream.takeOver(take.entry());
        return Optional.of(take.entry().currentLineage().id());
      }
      return verdict instanceof Ownership.Held held
          ? Optional.of(held.lineage().id())
          : Optional.empty();
    }

    /** The negative control: whether nothing but the rule of branches stands in the way. */
    private boolean isBranchOnly(Ownership.Rewound rewound, Claim.Start start) {
      return ignoreBranches
          && start instanceof Claim.Restored restored
          && !stream.isOwnedBy(owner)
          && rewound.lineage().filter(at -> at.sequence() <= restored.sequence()).isPresent();
    }

    void publish(Committable work) {
      if (alive && stream.commit(owner, work) != Outcome.DONE) {
        alive = false;
      }
    }

    void work() {
      offset += random.nextInt(4);
      if (random.nextDouble() < .7) {
        open();
      }
    }

    private void open() {
      long object = ++ids;
      stream.open(object, owner, checkpoint);
      objects.add(object);
    }

    /** A barrier: everything so far goes into a committable. Ids may skip. */
    void snapshot() {
      long id = checkpoint + (random.nextInt(4) == 0 ? 2 : 1);
      if (offset > begin) {
        if (objects.isEmpty()) {
          open();
        }
        pending.add(
            new Committable(++ids, lineage, owner, id, begin, offset, List.copyOf(objects)));
        objects = new ArrayList<>();
      }
      checkpoint = id;
      begin = offset;
      underWay = new Checkpoint(owner, lineage, id, offset, List.copyOf(pending));
    }

    /** The checkpoint completes, unless it is aborted; its committables are published. */
    void complete() {
      Checkpoint now = underWay;
      underWay = null;
      if (random.nextDouble() < .2) {
        return;
      }
      completed = now;
      retained.add(now);
      for (Committable work : List.copyOf(pending)) {
        if (work.sequence() > now.id) {
          break;
        }
        if (random.nextDouble() < .1) {
          zombies.add(new Zombie(owner, work)); // dies in mid-commit, which may land later
          start(completed);
          return;
        }
        publish(work);
        if (!alive) {
          return;
        }
        pending.remove(work);
      }
    }

    void failOver() {
      start(completed != null ? completed : first);
    }
  }

  Set<String> run() {
    jobs.add(new Job(null));
    int steps = 40 + random.nextInt(120) + submissions;
    double newcomers = submissions > 20 ? .5 : .08;
    for (int i = 0; i < steps; i++) {
      advance(newcomers);
    }
    drain();
    return stream.violations();
  }

  private void advance(double newcomers) {
    List<Job> alive = jobs.stream().filter(job -> job.alive).toList();
    double drawn = random.nextDouble();
    if (drawn < newcomers && jobs.size() < submissions) {
      jobs.add(new Job(random.nextDouble() < .8 ? anyRetained() : null));
      return;
    }
    drawn = random.nextDouble();
    if (drawn < .08) {
      stream.collectGarbage();
    } else if (drawn < .14 && !zombies.isEmpty()) {
      Zombie zombie = zombies.remove(random.nextInt(zombies.size()));
      stream.commit(zombie.owner, zombie.committable);
    } else if (alive.isEmpty()) {
      jobs.add(new Job(anyRetained()));
    } else {
      advance(alive.get(random.nextInt(alive.size())), random.nextDouble());
    }
  }

  private static void advance(Job job, double drawn) {
    if (drawn < .46) {
      job.work();
    } else if (drawn < .71) {
      job.snapshot();
    } else if (drawn < .93) {
      if (job.underWay != null) {
        job.complete();
      }
    } else {
      job.failOver();
    }
  }

  private Checkpoint anyRetained() {
    return retained.isEmpty() ? null : retained.get(random.nextInt(retained.size()));
  }

  /**
   * The owner restarts once more and completes one checkpoint; then all that it covers is there.
   */
  private void drain() {
    for (Job job : jobs) {
      if (!job.alive || !stream.isOwnedBy(job.owner)) {
        continue;
      }
      job.failOver();
      if (!job.alive) {
        continue;
      }
      job.snapshot();
      job.completed = job.underWay;
      List.copyOf(job.pending).forEach(job::publish);
      if (job.alive) {
        stream.checkCovered(job.lineage, job.completed.offset);
      }
    }
    stream.checkPublished();
  }

  private UUID uuid() {
    return new UUID(0, ++ids);
  }
}
