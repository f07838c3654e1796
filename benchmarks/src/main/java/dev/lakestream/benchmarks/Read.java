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

import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.BundleScan;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.ReaderSettings;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What it costs a rank to read its slices: bytes that the store sends it over the bytes of its
 * slices, everything included; requests a step; and the 95th percentile of the time that a step
 * takes to come when the rank does nothing else. Three layouts: bundles as the sink makes them by
 * default; one batch an object (K = 1, the layout of [L]); and dense, where each rank reads all of
 * each batch, as it would from a log. A few ranks of each world read; answers of the store begin 20
 * ms late.
 */
final class Read implements Benchmark {

  private static final Duration FIRST_BYTE = Duration.ofMillis(20);
  private static final int[] WORLDS = {8, 32, 128};

  /** Of a stream, about; more for small slices, so that opening the stream does not count much. */
  private static final long BYTES = 1_300_000_000;

  private static final int MOST_STEPS = 400;
  private static final int RANKS = 4;
  private static final int DENSE_STEPS = 40;
  private static final long DENSE_AHEAD = 256L << 20;

  private static final StagingSettings ONE_BATCH =
      new StagingSettings(
          1,
          StagingSettings.DEFAULT.targetBytes(),
          StagingSettings.DEFAULT.bufferBytes(),
          StagingSettings.DEFAULT.uploads(),
          Compression.NONE);

  @Override
  public String name() {
    return "read";
  }

  @Override
  public String description() {
    return "bytes, requests and time of a rank's reads: bundles, one batch an object, dense";
  }

  /** What some ranks met. */
  private record Cost(long bytes, long payload, long requests, long steps, long[] nanos) {

    double amplification() {
      return (double) bytes / payload;
    }

    double requestsPerStep() {
      return (double) requests / steps;
    }

    double p95Millis() {
      long[] sorted = nanos.clone();
      Arrays.sort(sorted);
      return sorted[(int) Math.ceil(0.95 * sorted.length) - 1] / 1e6;
    }

    static Cost sum(List<Cost> all) {
      return new Cost(
          all.stream().mapToLong(Cost::bytes).sum(),
          all.stream().mapToLong(Cost::payload).sum(),
          all.stream().mapToLong(Cost::requests).sum(),
          all.stream().mapToLong(Cost::steps).sum(),
          all.stream().flatMapToLong(cost -> Arrays.stream(cost.nanos)).toArray());
    }
  }

  @Override
  public Result run(List<String> cases) throws Exception {
    Result result = new Result(name());
    Map<Integer, String> payloads =
        new TreeMap<>(Map.of(100_000, "100k", 1_000_000, "1m", 10_000_000, "10m"));
    Path directory = Files.createTempDirectory("lakestream-read");
    try {
      for (var payload : payloads.entrySet()) {
        for (int world : WORLDS) {
          String one = payload.getValue() + "_" + world;
          if (cases.isEmpty() || cases.contains(one)) {
            measure(result, one, directory, world, payload.getKey());
          }
        }
      }
    } finally {
      Directories.delete(directory);
    }
    return result;
  }

  private static void measure(Result result, String one, Path directory, int world, int payload)
      throws Exception {
    long bytes = payload <= 100_000 ? 4 * BYTES : BYTES;
    long steps = Math.max(2, Math.min(MOST_STEPS, bytes / ((long) world * payload)));
    Path bundles = directory.resolve("bundles");
    TrainingRun.write(bundles.toString(), world, payload, steps, StagingSettings.DEFAULT);
    Cost ours = readers(bundles, world, steps);
    Directories.delete(bundles);
    Path single = directory.resolve("single");
    TrainingRun.write(single.toString(), world, payload, steps, ONE_BATCH);
    Cost k1 = readers(single, world, steps);
    Cost dense = dense(single, world, Math.min(steps, DENSE_STEPS));
    Directories.delete(single);
    report(result, one, "", ours);
    report(result, one, "k1_", k1);
    report(result, one, "dense_", dense);
  }

  private static void report(Result result, String one, String layout, Cost cost) {
    System.out.printf(
        Locale.ROOT,
        "  %-9s %-7s amplification %8.3f, GETs a step %5.3f, p95 %7.1f ms (%d steps)%n",
        one,
        layout.isEmpty() ? "bundles" : layout.replace("_", ""),
        cost.amplification(),
        cost.requestsPerStep(),
        cost.p95Millis(),
        cost.steps());
    result.with(layout + "amplification_" + one, cost.amplification());
    result.with(layout + "gets_per_step_" + one, cost.requestsPerStep());
    result.with(layout + "p95_ms_" + one, cost.p95Millis());
  }

  /** A few ranks of the world, at once. */
  private static Cost readers(Path path, int world, long steps) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(RANKS);
    try {
      List<Future<Cost>> running = new ArrayList<>();
      for (int i = 0; i < RANKS; i++) {
        int rank = i * (world - 1) / (RANKS - 1);
        running.add(threads.submit(() -> rank(path, world, rank, steps)));
      }
      List<Cost> costs = new ArrayList<>();
      for (Future<Cost> one : running) {
        costs.add(one.get());
      }
      return Cost.sum(costs);
    } finally {
      threads.shutdownNow();
    }
  }

  private static Cost rank(Path path, int world, int rank, long steps) {
    long[] nanos = new long[(int) steps];
    long payload = 0;
    try (SlowReads store = open(path, rank);
        RankReader reader =
            RankReader.open(
                TrainingStream.open(store),
                new RankPosition(new Mesh(world, 1), rank, 0),
                ReaderSettings.DEFAULT)) {
      for (int step = 0; step < steps; step++) {
        long began = System.nanoTime();
        payload += reader.next().slice().bytes().remaining();
        nanos[step] = System.nanoTime() - began;
      }
      return new Cost(store.bytes(), payload, store.requests(), steps, nanos);
    }
  }

  private static SlowReads open(Path path, int rank) {
    ObjectStore store = Stores.open(path.toString(), Map.of());
    return new SlowReads(store, "#" + rank, FIRST_BYTE);
  }

  /** One rank that reads whole batches, some of them ahead. */
  private static Cost dense(Path path, int world, long steps) {
    long[] nanos = new long[(int) steps];
    long payload = 0;
    try (SlowReads store = open(path, 0)) {
      TrainingStream stream = TrainingStream.open(store);
      List<BundleDescriptor> bundles =
          stream.history(stream.log().newest()).bundles(0, (int) steps);
      long length = bundles.get(0).bundle().objectLength();
      int ahead = (int) Math.max(1, DENSE_AHEAD / length);
      Deque<CompletableFuture<BundleScan.Whole>> running = new ArrayDeque<>();
      int next = 0;
      for (int step = 0; step < steps; step++) {
        while (next < steps && running.size() < ahead) {
          running.add(whole(stream, bundles.get(next++)));
        }
        long began = System.nanoTime();
        BundleScan.Whole batch = Futures.await(running.remove());
        payload += batch.sections().get(0).slice(0).bytes().remaining();
        for (int rank = 1; rank < world; rank++) {
          var unused = batch.sections().get(rank).slice(0);
        }
        nanos[step] = System.nanoTime() - began;
      }
      return new Cost(store.bytes(), payload, store.requests(), steps, nanos);
    }
  }

  private static CompletableFuture<BundleScan.Whole> whole(
      TrainingStream stream, BundleDescriptor bundle) {
    BundleReader reader = BundleReader.of(stream.store(), stream.id(), bundle.bundle());
    return new BundleScan(stream.store(), reader).readAll();
  }
}
