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

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.flink.sink.BatchMapper;
import dev.lakestream.flink.sink.LakestreamSink;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * What the Flink sink writes a second, exactly once, against bare PUTs of objects of the same sizes
 * to the same store with the same number of requests in flight. The two alternate in one run; the
 * ratio is of the medians. Time runs from the first element that reaches a writer until the job has
 * published everything and ended, so it includes the wait for the last checkpoint, up to a second:
 * a job is made to write for about {@link #SECONDS} seconds, by the speed of one that warms up.
 */
final class Ingest implements Benchmark {

  private static final Mesh MESH = new Mesh(4, 1);
  private static final int WRITERS = 2;
  private static final int UPLOADS = 4;
  private static final long WARM_UP_BYTES = 768L << 20;
  private static final long MOST_BYTES = 8L << 30;
  private static final int SECONDS = 12;
  private static final int ROUNDS = 3;

  /** When the first element of a job reached a writer. */
  private static final AtomicLong FIRST_ELEMENT = new AtomicLong();

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
    long[] sink = new long[ROUNDS];
    long[] raw = new long[ROUNDS];
    long warmUp = sinkNanos(address, options, payload, WARM_UP_BYTES);
    long bytes =
        Math.min(MOST_BYTES, Math.max(1, SECONDS * 1_000_000_000L / warmUp) * WARM_UP_BYTES);
    for (int round = 0; round < ROUNDS; round++) {
      Directories.delete(room.resolve("stream"));
      sink[round] = sinkNanos(address, options, payload, bytes);
      raw[round] = rawNanos(address, options);
    }
    Arrays.sort(sink);
    Arrays.sort(raw);
    double ratio = (double) raw[ROUNDS / 2] / sink[ROUNDS / 2];
    System.out.printf(
        "  %-5s slices of %,11d bytes, %,6d MB: sink %6.0f MB/s, bare PUTs %6.0f MB/s, ratio %.2f%n",
        address.startsWith("s3:") ? "s3:" : "file:",
        payload,
        bytes / 1_000_000,
        bytes / 1e6 / (sink[ROUNDS / 2] / 1e9),
        bytes / 1e6 / (raw[ROUNDS / 2] / 1e9),
        ratio);
    return ratio;
  }

  private static long sinkNanos(
      String address, Map<String, String> options, int payload, long bytes) throws Exception {
    Configuration configuration = new Configuration();
    configuration.setString("execution.checkpointing.interval", "1 s");
    configuration.setString("taskmanager.memory.network.max", "32 mb");
    configuration.setString("taskmanager.memory.network.min", "32 mb");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(WRITERS, configuration);
    long batches = Math.max(WRITERS, bytes / ((long) payload * MESH.slices()));
    environment
        .fromSequence(1, batches)
        .sinkTo(
            LakestreamSink.<Long>builder()
                .path(address)
                .storeOptions(options)
                .mesh(MESH)
                .sliceFormat("raw")
                .batches(new Batches(payload))
                .uploadParallelism(UPLOADS)
                .bufferMemory(384 << 20)
                .build());
    FIRST_ELEMENT.set(0);
    environment.execute("ingest");
    return System.nanoTime() - FIRST_ELEMENT.get();
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
        FIRST_ELEMENT.compareAndSet(0, System.nanoTime());
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
   * Puts objects of the sizes that the stream's bundles have, so many at once as the sink's writers
   * did.
   */
  private static long rawNanos(String address, Map<String, String> options) {
    try (ObjectStore store = Stores.open(address, options)) {
      TrainingStream stream = TrainingStream.open(store);
      List<Long> sizes =
          stream.history(stream.log().newest()).bundles(0, Integer.MAX_VALUE).stream()
              .map(BundleDescriptor::bundle)
              .map(bundle -> bundle.objectLength())
              .toList();
      byte[] bytes = new byte[1 << 20];
      new SplittableRandom(7).nextBytes(bytes);
      long start = System.nanoTime();
      Deque<CompletableFuture<Void>> running = new ArrayDeque<>();
      for (int i = 0; i < sizes.size(); i++) {
        if (running.size() >= WRITERS * UPLOADS) {
          Futures.await(running.remove());
        }
        running.add(store.put("raw/" + i, payload(bytes, sizes.get(i))));
      }
      running.forEach(Futures::await);
      return System.nanoTime() - start;
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
