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

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.Bundles;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Listing;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Producers that compete for minutes of virtual time on a healthy store. */
class ContentionTest {

  /** A request takes half of it to all of it: like S3 in the same region. */
  private static final Duration NEAR = Duration.ofMillis(80);

  private final Simulation sim = new Simulation(1);
  private final MemoryStore memory = new MemoryStore("mem://contention", sim);
  private final List<Contender> contenders = new ArrayList<>();

  @Test
  void oneSlowProducerAmongEightDoesNotStarve() {
    TrainingStream.openOrCreate(memory, Chain.INFO, sim);
    for (int i = 0; i < 8; i++) {
      start(i, i == 0 ? NEAR.plusMillis(300) : NEAR, Duration.ofMinutes(10));
    }
    assertThat(sim.run()).isEmpty();
    for (Contender contender : contenders) {
      assertThat(contender.commits.size()).as(contender.toString()).isGreaterThan(10);
      assertThat(contender.longestWait()).as(contender.toString()).isLessThan(minutes(2));
      // no hot spin
      assertThat(contender.metrics.attempts()).isLessThan(200);
    }
    long attempts = contenders.stream().mapToLong(c -> c.metrics.attempts()).sum();
    long conflicts = contenders.stream().mapToLong(c -> c.metrics.conflicts()).sum();
    assertThat((double) conflicts / attempts).isLessThan(0.5);
    assertThat(TrainingStream.open(memory, sim).log().newest().nextStep())
        .isEqualTo(contenders.stream().mapToLong(c -> c.commits.size()).sum());
  }

  @Test
  void theIntervalComesBackWithinTwoMinutesOfTheEndOfContention() {
    TrainingStream.openOrCreate(memory, Chain.INFO, sim);
    start(0, NEAR, Duration.ofMinutes(10));
    for (int i = 1; i < 8; i++) {
      start(i, NEAR, Duration.ofMinutes(3));
    }
    assertThat(sim.run()).isEmpty();
    Contender survivor = contenders.get(0);
    double crowded = survivor.interval(minutes(2), minutes(3));
    double alone = survivor.interval(minutes(5), minutes(10));
    assertThat(crowded).isGreaterThan(2 * alone);
    // 9 windows of one read and one create of 60 ms each, the jitter, and the commit itself
    assertThat(alone).isLessThan(1.6);
  }

  private void start(int number, Duration latency, Duration until) {
    Contender contender = new Contender("producer-" + number, latency, until);
    contenders.add(contender);
    sim.start(contender.name, contender);
  }

  private static long minutes(int minutes) {
    return Duration.ofMinutes(minutes).toNanos();
  }

  /** Publishes as often as DAC lets it. */
  private final class Contender implements Simulation.Actor {
    private final String name;
    private final ObjectStore store;
    private final long until;
    private final CommitMetrics metrics = new CommitMetrics();
    private final List<Long> commits = new ArrayList<>();

    Contender(String name, Duration latency, Duration until) {
      this.name = name;
      this.store = new DistantStore(latency);
      this.until = until.toNanos();
    }

    @Override
    public void run() {
      UUID owner = new UUID(name.hashCode(), 1);
      Publisher publisher =
          new Publisher(
              TrainingStream.open(store, sim),
              CommitSettings.DEFAULT.withPacing(Pacing.DAC),
              new Random(name.hashCode()),
              metrics);
      UUID lineage =
          publisher
              .takeOver(new Claim(name, owner, name, new Claim.Fresh()), OnRewind.FAIL)
              .lineage()
              .id();
      for (long sequence = 1; sim.nanoTime() < until; sequence++) {
        List<StagedBundle> bundle = List.of(Bundles.of(owner, new UUID(1, sequence), 1));
        publisher.publish(
            new Publication(
                name, owner, lineage, owner, sequence, bundle, ByteString.EMPTY, false));
        commits.add(sim.nanoTime());
      }
    }

    long longestWait() {
      long longest = commits.isEmpty() ? until : commits.get(0);
      for (int i = 1; i < commits.size(); i++) {
        longest = Math.max(longest, commits.get(i) - commits.get(i - 1));
      }
      return longest;
    }

    /** Seconds from commit to commit, on average. */
    double interval(long from, long to) {
      long count = commits.stream().filter(at -> at >= from && at < to).count();
      return (to - from) / 1e9 / count;
    }

    @Override
    public String toString() {
      return name
          + ": "
          + commits.size()
          + " commits, "
          + metrics.attempts()
          + " attempts, "
          + metrics.conflicts()
          + " lost, window "
          + metrics.fragileWindow()
          + ", gap "
          + metrics.gap()
          + ", longest wait "
          + Duration.ofNanos(longestWait());
    }
  }

  /** Every request takes up to so long. */
  private final class DistantStore implements ObjectStore {
    private final Duration latency;

    DistantStore(Duration latency) {
      this.latency = latency;
    }

    private ObjectStore there() {
      long half = latency.toNanos() / 2;
      sim.sleep(Duration.ofNanos(half + sim.random.nextLong(half)));
      return memory;
    }

    @Override
    public String address() {
      return memory.address();
    }

    @Override
    public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
      return there().createIfAbsent(key, content);
    }

    @Override
    public CompletableFuture<Void> put(String key, Payload content) {
      return there().put(key, content);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
      return there().read(key, offset, length);
    }

    @Override
    public CompletableFuture<Suffix> readSuffix(String key, int length) {
      return there().readSuffix(key, length);
    }

    @Override
    public CompletableFuture<Long> length(String key) {
      return there().length(key);
    }

    @Override
    public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
      return there().list(prefix, startAfter, limit);
    }

    @Override
    public CompletableFuture<Void> delete(String key) {
      return there().delete(key);
    }

    @Override
    public void close() {}
  }
}
