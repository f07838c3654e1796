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

import dev.lakestream.benchmarks.IngestJob.Published;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the Flink sink publishes a second, exactly once, against bare PUTs of objects of the same
 * sizes to the same store with as many requests in flight. The two alternate in one run; the ratio
 * is of the medians. What a job published between two of its checkpoints counts, and the time
 * between the two publications: with everything that a checkpoint costs, and without the start of a
 * job. Checkpoints are some seconds apart: a publication comes up to a second after its checkpoint,
 * on a busy disk, and the time between two of them would otherwise be mostly that. A first job,
 * which does not count, lets most be compiled. The bare PUTs begin with what the job had published
 * before. Both sweep away what they have written, a publication at a time.
 */
final class Ingest implements Benchmark {

  private static final Duration INTERVAL = Duration.ofSeconds(3);
  private static final int WARM_UP = 1;
  private static final int COUNTED = 4;
  private static final int ROUNDS = 3;

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
    Path directory = room.resolve("stream");
    IngestJob job = new IngestJob(address, options, payload, INTERVAL);
    job.run(directory, WARM_UP, COUNTED);
    Directories.delete(directory);
    double[] sink = new double[ROUNDS];
    double[] raw = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      Published published = job.run(directory, WARM_UP, COUNTED);
      Directories.delete(directory);
      sink[round] = published.bytes() / published.nanos() * 1e3;
      raw[round] = published.bytes() / rawNanos(address, options, directory, published) * 1e3;
      Directories.delete(directory);
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

  private static long rawNanos(
      String address, Map<String, String> options, Path directory, Published published)
      throws InterruptedException {
    try (ObjectStore store = Stores.open(address, options);
        Sweeper sweeper = new Sweeper(directory)) {
      BarePuts puts = new BarePuts(store, sweeper, IngestJob.WRITERS * IngestJob.UPLOADS);
      published.before().forEach(puts::put);
      long start = System.nanoTime();
      published.counted().forEach(puts::put);
      puts.await();
      return System.nanoTime() - start;
    }
  }
}
