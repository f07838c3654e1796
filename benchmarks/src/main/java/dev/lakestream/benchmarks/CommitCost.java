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
package dev.lakestream.benchmarks;

import com.google.protobuf.ByteString;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import dev.lakestream.store.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * What a commit costs at 10 million steps of history against 1 thousand. Both streams lie in {@code
 * file:} stores side by side and commit in turn, over whole sealing cycles, so that the commits
 * that seal count in proportion and noise hits both alike. Bytes are all that a commit writes
 * (manifests and segments), duration is the median.
 */
final class CommitCost implements Benchmark {

  private static final long SHORT = 1_000;
  private static final long LONG = 10_000_000;
  private static final int PRODUCERS = 100;

  /** Bundles between two sealings: what the tail takes beyond what sealing leaves in it. */
  private static final int CYCLE = 49;

  private static final int CYCLES = 12;

  @Override
  public String name() {
    return "commit-cost";
  }

  @Override
  public String description() {
    return "bytes and time of a commit at 10 million steps of history against 1 thousand";
  }

  @Override
  public Result run(List<String> cases) throws IOException {
    System.out.println("Building a history of " + SHORT + " steps …");
    Side small = new Side(SHORT);
    System.out.println("Building a history of " + LONG + " steps …");
    Side large = new Side(LONG);
    System.out.println("Committing " + CYCLE * CYCLES + " times to each, in turn …");
    for (int i = 0; i < CYCLE * 2; i++) { // warm up: classes, the page cache, the compiler
      small.commit();
      large.commit();
    }
    small.reset();
    large.reset();
    for (int i = 0; i < CYCLE * CYCLES; i++) {
      small.commit();
      large.commit();
    }
    System.out.printf(
        "  %,d steps: %,d bytes a commit, median %.2f ms%n",
        SHORT, small.bytes(), small.median() / 1e6);
    System.out.printf(
        "  %,d steps: %,d bytes a commit, median %.2f ms%n",
        LONG, large.bytes(), large.median() / 1e6);
    return new Result(name())
        .with("bytes_ratio", (double) large.bytes() / small.bytes())
        .with("time_ratio", (double) large.median() / small.median())
        .with("manifest_bytes", large.largestManifest())
        .with("producers", PRODUCERS);
  }

  /** One of the two streams. */
  private static final class Side {

    private final FaultyStore store; // for its request log alone
    private final TrainingStream stream;
    private final Publisher publisher;
    private final CommitMetrics metrics = new CommitMetrics();
    private final UUID owner = UUID.randomUUID();
    private final UUID lineage;
    private long sequence;
    private final long[] nanos = new long[CYCLE * CYCLES];
    private int commits;
    private long largestManifest;

    Side(long steps) throws IOException {
      Path directory = Files.createTempDirectory("lakestream-commit-cost");
      directory.toFile().deleteOnExit();
      ObjectStore files = Stores.open(directory.toString(), Map.of());
      new SyntheticHistory(PRODUCERS - 1).copyTo(files, steps);
      store = new FaultyStore(files, Time.SYSTEM);
      stream = TrainingStream.open(store);
      publisher =
          new Publisher(
              stream,
              CommitSettings.DEFAULT.withPacing(Pacing.NAIVE),
              new SplittableRandom(1),
              metrics);
      Claim claim = new Claim("measured", owner, "commit-cost", new Claim.Resume());
      lineage = publisher.takeOver(claim, OnRewind.FAIL).lineage().id();
    }

    void commit() {
      Publication publication =
          new Publication(
              "measured",
              owner,
              lineage,
              owner,
              ++sequence,
              List.of(SyntheticHistory.bundle()),
              ByteString.EMPTY,
              false);
      long start = System.nanoTime();
      publisher.publish(publication);
      nanos[commits++ % nanos.length] = System.nanoTime() - start;
      largestManifest = Math.max(largestManifest, metrics.manifestBytes());
    }

    void reset() {
      store.log().clear();
      commits = 0;
      largestManifest = 0;
    }

    long bytes() {
      return (store.log().bytesUp("manifest/") + store.log().bytesUp("segment/")) / commits;
    }

    long median() {
      long[] sorted = Arrays.copyOf(nanos, commits);
      Arrays.sort(sorted);
      return sorted[commits / 2];
    }

    long largestManifest() {
      return largestManifest;
    }
  }
}
