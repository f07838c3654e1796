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

import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.flink.sink.BatchMapper;
import dev.lakestream.flink.sink.LakestreamSink;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * What the Flink sink publishes a second, exactly once, against bare PUTs of objects of the same
 * sizes to the same store with as many requests in flight. The two alternate in one run; the ratio
 * is of the medians. A job runs without end and is cancelled; what it published between two of its
 * checkpoints counts, and the time between the two: with everything that a checkpoint costs, and
 * without the start of a job. The bare PUTs begin with what the job had published before.
 */
final class Ingest implements Benchmark {

  private static final Mesh MESH = new Mesh(4, 1);
  private static final int WRITERS = 2;
  private static final int UPLOADS = 4;
  private static final Duration INTERVAL = Duration.ofSeconds(3);
  private static final int WARM_UP = 2;
  private static final int INTERVALS = 3;
  private static final int ROUNDS = 3;

  /**
   * Between deleting what one side wrote and beginning with the other. A virtual machine gives
   * memory that was freed back to its host bit by bit, and a write to the page cache costs several
   * times as much where it must ask for it again: without a rest, the side that begins at once
   * finds memory that the side that first starts a job does not.
   */
  private static final Duration REST = Duration.ofSeconds(20);

  @Override
  public String name() {
    return "ingest";
  }

  @Override
  public String description() {
    return "throughput of the Flink sink against bare PUTs, on file: and on a loopback S3 server";
  }

  @Override
  public Result run(List<String> cases) throws Exception {
    Result result = new Result(name());
    Map<String, Integer> payloads = new LinkedHashMap<>();
    payloads.put("100k", 100_000);
    payloads.put("1m", 1_000_000);
    payloads.put("10m", 10_000_000);
    Path directory = Files.createTempDirectory("lakestream-ingest");
    try {
      for (var payload : payloads.entrySet()) {
        for (String store : List.of("file", "s3")) {
          String name = store + "_" + payload.getKey();
          if (cases.isEmpty() || cases.contains(name)) {
            result.with("ratio_to_raw_" + name, ratio(store, directory, payload.getValue()));
          }
        }
      }
    } finally {
      Directories.delete(directory);
    }
    return result;
  }

  private static double ratio(String store, Path directory, int payload) throws Exception {
    Path room = Files.createDirectory(directory.resolve(store + payload));
    try {
      if (store.equals("file")) {
        return ratio(room.resolve("stream").toString(), Map.of(), payload, room);
      }
      try (LoopbackS3 s3 = new LoopbackS3(room)) {
        String address = "s3://" + LoopbackS3.BUCKET + "/stream";
        return ratio(address, s3.options(), payload, room.resolve(LoopbackS3.BUCKET));
      }
    } finally {
      Directories.delete(room);
    }
  }

  private static double ratio(String address, Map<String, String> options, int payload, Path room)
      throws Exception {
    publish(
        address,
        options,
        payload,
        Duration.ofMillis(500)); // So that the JVM has compiled what it needs.
    Directories.delete(room.resolve("stream"));
    double[] sink = new double[ROUNDS];
    double[] raw = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      Thread.sleep(REST.toMillis());
      Published published = publish(address, options, payload, INTERVAL);
      Directories.delete(room.resolve("stream"));
      Thread.sleep(REST.toMillis());
      sink[round] = published.bytes() / published.nanos() * 1e3;
      raw[round] = published.bytes() / rawNanos(address, options, published) * 1e3;
      Directories.delete(room.resolve("stream"));
    }
    Arrays.sort(sink);
    Arrays.sort(raw);
    double ratio = sink[ROUNDS / 2] / raw[ROUNDS / 2];
    System.out.printf(
        "  %-5s slices of %,11d bytes: sink %5.0f MB/s (%.0f to %.0f), bare PUTs %5.0f MB/s (%.0f to"
            + " %.0f), ratio %.2f%n",
        address.startsWith("s3:") ? "s3:" : "file:",
        payload,
        sink[ROUNDS / 2],
        sink[0],
        sink[ROUNDS - 1],
        raw[ROUNDS / 2],
        raw[0],
        raw[ROUNDS - 1],
        ratio);
    return ratio;
  }

  /** Objects that a job published before the first of two of its checkpoints, and between them. */
  private record Published(List<Long> before, List<Long> sizes, double nanos) {

    double bytes() {
      return sizes.stream().mapToLong(Long::longValue).sum();
    }
  }

  private static Published publish(
      String address, Map<String, String> options, int payload, Duration interval)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.setString("execution.checkpointing.interval", interval.toMillis() + " ms");
    configuration.setString("taskmanager.memory.network.max", "32 mb");
    configuration.setString("taskmanager.memory.network.min", "32 mb");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(WRITERS, configuration);
    environment
        .fromSequence(1, Long.MAX_VALUE)
        .sinkTo(
            LakestreamSink.<Long>builder()
                .path(address)
                .storeOptions(options)
                .mesh(MESH)
                .sliceFormat("raw")
                .batches(new Batches(payload))
                .uploadParallelism(UPLOADS)
                .bundleTargetSize(64 << 20)
                .bufferMemory(384 << 20)
                .build());
    JobClient job = environment.executeAsync("ingest");
    try (ObjectStore store = Stores.open(address, options)) {
      return await(job, store);
    } finally {
      job.cancel().get();
    }
  }

  private static Published await(JobClient job, ObjectStore store) throws Exception {
    List<Manifest> publications = new ArrayList<>();
    while (publications.size() <= WARM_UP + INTERVALS) {
      if (job.getJobStatus().get().isGloballyTerminalState()) {
        job.getJobExecutionResult().get();
      }
      Thread.sleep(20);
      newest(store)
          .filter(manifest -> manifest.operation().equals("append"))
          .filter(manifest -> publications.isEmpty() || newer(manifest, publications))
          .ifPresent(publications::add);
    }
    Manifest first = publications.get(WARM_UP);
    Manifest last = publications.get(WARM_UP + INTERVALS);
    return new Published(
        sizes(store, last, 0, first.nextStep()),
        sizes(store, last, first.nextStep(), last.nextStep()),
        (last.createdAt() - first.createdAt()) * 1e6);
  }

  private static List<Long> sizes(ObjectStore store, Manifest manifest, long from, long to) {
    return TrainingStream.open(store).history(manifest).bundles(from, Integer.MAX_VALUE).stream()
        .filter(bundle -> bundle.firstStep() < to)
        .map(bundle -> bundle.bundle().objectLength())
        .toList();
  }

  private static Optional<Manifest> newest(ObjectStore store) {
    try {
      return Optional.of(TrainingStream.open(store).log().newest());
    } catch (StreamNotFoundException early) {
      return Optional.empty();
    }
  }

  private static boolean newer(Manifest manifest, List<Manifest> known) {
    return manifest.version() > known.get(known.size() - 1).version();
  }

  /** Batches over the same random bytes: making them costs nothing. */
  private static final class Batches implements BatchMapper<Long> {

    private static final long serialVersionUID = 1L;

    private final int payload;
    private transient GlobalBatch batch;

    Batches(int payload) {
      this.payload = payload;
    }

    @Override
    public GlobalBatch map(Long element) {
      if (batch == null) {
        byte[] bytes = new byte[payload];
        new SplittableRandom(7).nextBytes(bytes);
        List<Slice> slices = new ArrayList<>();
        for (int i = 0; i < MESH.slices(); i++) {
          slices.add(Slice.of(bytes, 1));
        }
        batch = GlobalBatch.of(MESH, slices);
      }
      return batch;
    }
  }

  /**
   * Puts objects of the sizes that the job published, so many at once as its writers did. As with
   * the job, those before the first checkpoint are not in the time.
   */
  private static long rawNanos(String address, Map<String, String> options, Published published) {
    try (ObjectStore store = Stores.open(address, options)) {
      byte[] bytes = new byte[1 << 20];
      new SplittableRandom(7).nextBytes(bytes);
      UUID owner = UUID.randomUUID();
      Deque<CompletableFuture<Void>> running = new ArrayDeque<>();
      put(store, owner, bytes, published.before(), running);
      long start = System.nanoTime();
      put(store, owner, bytes, published.sizes(), running);
      running.forEach(Futures::await);
      return System.nanoTime() - start;
    }
  }

  private static void put(
      ObjectStore store,
      UUID owner,
      byte[] bytes,
      List<Long> sizes,
      Deque<CompletableFuture<Void>> running) {
    for (long size : sizes) {
      if (running.size() >= WRITERS * UPLOADS) {
        Futures.await(running.remove());
      }
      String key = BundleName.create(owner, 0, 0).object(); // Spread over directories alike.
      running.add(store.put(key, payload(bytes, size)));
    }
  }

  private static Payload payload(byte[] bytes, long size) {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (long left = size; left > 0; left -= bytes.length) {
      buffers.add(ByteBuffer.wrap(bytes, 0, (int) Math.min(left, bytes.length)));
    }
    return Payload.of(buffers);
  }
}
