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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitFailedException;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.FencedException;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.commit.RewindException;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * One submission under a producer id, as Flink would run it: it takes over, publishes what its
 * restored checkpoint left over, and then a checkpoint after the other. When it dies it restarts
 * from its newest completed checkpoint, while what is left of the dead attempt may still be at
 * work.
 */
final class Job {

  /** Then fate has mercy, so that every schedule ends. */
  private static final int MORTAL_ATTEMPTS = 10;

  final UUID owner;
  final String name;
  private final World world;
  private final Simulation sim;
  private final Random random;
  private final String producer;
  private final List<Checkpoint> retained;
  private Checkpoint completed;
  private int attempts;

  /** How a submission ended. */
  enum End {
    FINISHED,
    FENCED,
    REWOUND
  }

  /** A completed checkpoint: how far it is, and what of it may not be published yet. */
  record Checkpoint(UUID owner, UUID lineage, long sequence, Publication pending) {}

  /**
   * @param retained the completed checkpoints of all submissions of this producer
   * @param restored where it starts; null: nowhere
   */
  Job(World world, String producer, List<Checkpoint> retained, Checkpoint restored) {
    this.world = world;
    this.sim = world.sim;
    this.random = sim.random;
    this.producer = producer;
    this.retained = retained;
    this.completed = restored;
    this.owner = world.newId();
    this.name = producer + "/" + owner.getLeastSignificantBits();
  }

  /** Runs to its end, with as many attempts as it takes. */
  End run() {
    while (true) {
      try {
        attempts++;
        attempt();
        world.trace(name, "has finished");
        return End.FINISHED;
      } catch (FencedException e) {
        world.trace(name, e.getMessage());
        return End.FENCED;
      } catch (RewindException e) {
        world.trace(name, e.getMessage());
        return End.REWOUND;
      } catch (CommitFailedException e) {
        world.trace(name, e.getMessage());
      } catch (StoreException e) {
        if (!e.fault().retryable()) {
          throw e;
        }
        world.trace(name, "fails over: " + e.getMessage());
      } catch (Simulation.Killed e) {
        // the cluster notices, and starts it again; when all is over, this ends it for good
      }
      sim.sleep(Duration.ofMillis(100 + random.nextInt(5_000)));
    }
  }

  private void attempt() {
    String process = name + "." + attempts;
    Connection store = new Connection(world, process, attempts < MORTAL_ATTEMPTS);
    Publisher publisher = publisher(store);
    Checkpoint from = completed;
    Claim.Start start =
        from == null
            ? new Claim.Fresh()
            : new Claim.Restored(from.lineage, from.owner, from.sequence);
    world.trace(process, "starts from " + start);
    UUID lineage =
        publisher.takeOver(new Claim(producer, owner, name, start), OnRewind.FAIL).lineage().id();
    long sequence = 0;
    if (from != null) {
      sequence = from.sequence;
      publish(publisher, restored(from.pending));
    }
    while (sequence < world.schedule.sequences()) {
      sequence++;
      Publication work = stage(store, lineage, sequence);
      completed = new Checkpoint(owner, lineage, sequence, work);
      retained.add(completed);
      if (random.nextInt(12) == 0) {
        leaveBehind(publisher, work);
        throw new Simulation.Killed();
      }
      publish(publisher, work);
    }
  }

  /** The process is cut off, and declared dead, while it publishes; it does not know. */
  private void leaveBehind(Publisher publisher, Publication work) {
    sim.startBackground(
        name + ".zombie",
        () -> {
          try {
            publish(publisher, work);
          } catch (FencedException | CommitFailedException e) {
            world.trace(name + ".zombie", e.getMessage());
          } catch (StoreException e) {
            if (!e.fault().retryable()) {
              throw e;
            }
          }
        });
  }

  private Publisher publisher(Connection store) {
    return new Publisher(
        TrainingStream.openOrCreate(store, Chain.INFO, world.clock()),
        CommitSettings.DEFAULT.withPacing(world.schedule.pacing()),
        new Random(random.nextLong()),
        new CommitMetrics());
  }

  private Publication stage(Connection store, UUID lineage, long sequence) {
    List<StagedBundle> bundles = new ArrayList<>();
    int count = random.nextInt(12) == 0 ? 5 + random.nextInt(60) : 1 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      Map.Entry<StagedBundle, Payload> bundle = world.newBundle(owner, sequence - 1);
      if (i == 0) {
        upload(store, bundle);
      } else {
        // one slow upload is enough to have been there
        world.put(bundle.getKey().object(), bundle.getValue());
      }
      bundles.add(bundle.getKey());
    }
    return new Publication(
        producer, owner, lineage, owner, sequence, bundles, ByteString.EMPTY, false);
  }

  private static void upload(Connection store, Map.Entry<StagedBundle, Payload> bundle) {
    for (int attempt = 0; ; attempt++) {
      try {
        Futures.await(store.put(bundle.getKey().object(), bundle.getValue()));
        return;
      } catch (StoreException e) {
        if (attempt == 10) {
          throw e;
        }
      }
    }
  }

  private Publication restored(Publication work) {
    return new Publication(
        producer,
        owner,
        work.lineage(),
        work.takenBy(),
        work.sequence(),
        work.bundles(),
        work.position(),
        true);
  }

  private void publish(Publisher publisher, Publication work) {
    Publisher.Published done = publisher.publish(work);
    world.trace(name, "sequence " + work.sequence() + ": " + done);
    world.reports.add(
        new World.Report(
            producer,
            work.owner(),
            work.sequence(),
            work.bundles().stream().map(StagedBundle::object).toList(),
            done.published() ? done.version() : -1));
  }
}
