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
import com.sun.management.OperatingSystemMXBean;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.flink.source.BoundedMode;
import dev.lakestream.flink.source.LakestreamSource;
import dev.lakestream.flink.source.RecordIterator;
import dev.lakestream.flink.source.SliceDeserializer;
import dev.lakestream.flink.source.SliceMetadata;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * What the Flink source reads a second, all of a stream, against bare requests for the very same
 * ranges from the same store with as many requests in flight. The two alternate in one run; the
 * ratio is of the medians. Time runs from the first range that is asked for until the last slice
 * has reached the job, so that starting a job is not in it. The same of the processor time that
 * this process took in between: less swayed by what else the machine does.
 */
final class Scan implements Benchmark {

  private static final Mesh MESH = new Mesh(4, 1);
  private static final int READERS = 2;
  private static final long BYTES = 3L << 30;
  private static final int ROUNDS = 5;

  /** When the newest slice reached the job. */
  private static final AtomicReference<Moment> LAST_SLICE = new AtomicReference<>();

  /** Of the clock and of this process's processor time, in nanoseconds. */
  record Moment(long clock, long processor) {
    static Moment now() {
      OperatingSystemMXBean system =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Moment(System.nanoTime(), system.getProcessCpuTime());
    }

    Moment since(Moment earlier) {
      return new Moment(clock - earlier.clock, processor - earlier.processor);
    }
  }

  @Override
  public String name() {
    return "scan";
  }

  @Override
  public String description() {
    return "throughput of the Flink source against bare range reads, on file: and on loopback S3";
  }

  @Override
  public Result run(List<String> cases) throws Exception {
    Result result = new Result(name());
    Path directory = Files.createTempDirectory("lakestream-scan");
    try (LoopbackS3 s3 = new LoopbackS3(Files.createDirectory(directory.resolve("s3")))) {
      ScanBytes.measure(result, directory.resolve("bytes"));
      Directories.delete(directory.resolve("bytes"));
      Map<String, Integer> payloads = new TreeMap<>(Map.of("100k", 100_000, "1m", 1_000_000));
      for (var payload : payloads.entrySet()) {
        Path files = directory.resolve("file-" + payload.getKey());
        String file = "file_" + payload.getKey();
        if (cases.isEmpty() || cases.contains(file)) {
          measure(result, file, files.toString(), Map.of(), payload.getValue());
          Directories.delete(files);
        }
        String remote = "s3_" + payload.getKey();
        if (cases.isEmpty() || cases.contains(remote)) {
          String address = "s3://" + LoopbackS3.BUCKET + "/" + payload.getKey();
          measure(result, remote, address, s3.options(), payload.getValue());
          Directories.delete(directory.resolve("s3").resolve(LoopbackS3.BUCKET));
          Files.createDirectories(directory.resolve("s3").resolve(LoopbackS3.BUCKET));
        }
      }
    } finally {
      Directories.delete(directory);
    }
    return result;
  }

  private static void measure(
      Result result, String name, String address, Map<String, String> options, int payload)
      throws Exception {
    write(address, options, payload);
    Map<String, String> logged = new TreeMap<>(options);
    logged.put(LoggedStores.TARGET, address);
    List<Moment> source = new ArrayList<>();
    List<Moment> raw = new ArrayList<>();
    read(logged);
    for (int round = 0; round < ROUNDS; round++) {
      source.add(read(logged));
      raw.add(readBare(address, options));
    }
    long bytes = LoggedStores.log("scan").bytes();
    long sourceNanos = median(source, Moment::clock);
    long rawNanos = median(raw, Moment::clock);
    double ratio = (double) rawNanos / sourceNanos;
    double work = (double) median(raw, Moment::processor) / median(source, Moment::processor);
    System.out.printf(
        "  %-9s source %6.0f MB/s, bare ranges %6.0f MB/s: %.2f; processor time: %.2f;"
            + " %d requests, %d at once%n",
        name,
        bytes / 1e6 / (sourceNanos / 1e9),
        bytes / 1e6 / (rawNanos / 1e9),
        ratio,
        work,
        LoggedStores.log("scan").ranges().size(),
        LoggedStores.log("scan").mostRunning());
    result.with("ratio_to_raw_" + name, ratio).with("work_ratio_" + name, work);
  }

  private static long median(List<Moment> moments, ToLongFunction<Moment> value) {
    return moments.stream().mapToLong(value).sorted().toArray()[moments.size() / 2];
  }

  private static void write(String address, Map<String, String> options, int payload) {
    byte[] bytes = new byte[payload];
    new SplittableRandom(7).nextBytes(bytes);
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < MESH.slices(); i++) {
      slices.add(Slice.of(bytes, 1));
    }
    GlobalBatch batch = GlobalBatch.of(MESH, slices);
    try (ObjectStore store = Stores.open(address, options);
        Producer producer =
            Producer.builder(
                    TrainingStream.openOrCreate(store, StreamInfo.create(MESH, "raw")), "bench")
                .staging(new StagingSettings(64, 64 << 20, 256 << 20, 4, Compression.NONE))
                .build()) {
      for (long left = BYTES; left > 0; left -= (long) payload * MESH.slices()) {
        producer.append(batch, ByteString.EMPTY);
      }
    }
  }

  private static Moment read(Map<String, String> options) throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(READERS);
    environment
        .fromSource(
            LakestreamSource.<Long>builder()
                .path("logged://scan/stream")
                .storeOptions(options)
                .deserializer(new Lengths())
                .boundedBy(BoundedMode.latest())
                .build(),
            WatermarkStrategy.noWatermarks(),
            "scan")
        .sinkTo(new DiscardingSink<>());
    LoggedStores.log("scan").clear();
    environment.execute("scan");
    return LAST_SLICE.get().since(LoggedStores.log("scan").firstAt());
  }

  /** Takes note of a slice where it lies: what a job makes of the bytes is not measured. */
  private static final class Lengths implements SliceDeserializer<Long> {

    private static final long serialVersionUID = 1L;

    @Override
    public RecordIterator<Long> read(SliceMetadata slice, ByteBuffer bytes, long from) {
      LAST_SLICE.set(Moment.now());
      return new RecordIterator<>() {
        private long index = from - 1;

        @Override
        public boolean advance() {
          return ++index == 0;
        }

        @Override
        public Long record() {
          return (long) bytes.remaining();
        }

        @Override
        public long index() {
          return index;
        }
      };
    }

    @Override
    public TypeInformation<Long> getProducedType() {
      return Types.LONG;
    }
  }

  /** Asks for the ranges that the source asked for, in its order, so many at once as it did. */
  private static Moment readBare(String address, Map<String, String> options) {
    LoggedStores.Log log = LoggedStores.log("scan");
    int most = log.mostRunning();
    try (ObjectStore store = Stores.open(address, options)) {
      Moment start = Moment.now();
      Deque<CompletableFuture<ByteBuffer>> running = new ArrayDeque<>();
      for (LoggedStores.Range range : log.ranges()) {
        if (running.size() >= most) {
          Futures.await(running.remove());
        }
        running.add(store.read(range.key(), range.offset(), range.length()));
      }
      running.forEach(Futures::await);
      return Moment.now().since(start);
    }
  }
}
