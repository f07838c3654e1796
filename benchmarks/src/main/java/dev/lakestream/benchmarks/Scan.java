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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.connector.base.source.hybrid.HybridSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * What the Flink source reads a second, all of a stream, against bare requests for the very same
 * ranges from the same store with as many requests in flight. The two alternate in one run; the
 * ratio is of the medians. A job reads the stream several times, one after the other, and the
 * second half of the last time counts: before it, the code of the job is compiled, which on a
 * machine of two processors takes a good part of them. What had been fetched ahead by then does not
 * count. The same of the processor time that this process took: less swayed by what else the
 * machine does.
 */
final class Scan implements Benchmark {

  private static final Mesh MESH = new Mesh(4, 1);
  private static final int READERS = 2;

  /** How often a job reads the stream. */
  private static final int PASSES = 3;

  private static final long FILES = 8L << 30;

  private static final long REMOTE = 2L << 30;
  private static final int ROUNDS = 5;

  /**
   * A stream to read.
   *
   * @param payload bytes of a slice
   * @param bytes of all slices
   * @param before each time that either side reads
   */
  private record Case(
      String name,
      String address,
      Map<String, String> options,
      int payload,
      long bytes,
      Preparation before) {}

  private interface Preparation {
    void run() throws Exception;
  }

  /** Slices that have yet to reach the job, of all passes. */
  private static final AtomicLong LEFT = new AtomicLong();

  /** Of one pass. */
  private static volatile long slices;

  private static volatile Preparation preparation;
  private static volatile Moment began;
  private static volatile Moment ended;

  /**
   * Of the clock and of this process's processor time, in nanoseconds.
   *
   * @param read bytes that the job has read from the store
   */
  record Moment(long clock, long processor, long read) {
    static Moment now() {
      OperatingSystemMXBean system =
          (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      return new Moment(
          System.nanoTime(), system.getProcessCpuTime(), LoggedStores.log("scan").read());
    }

    /** Megabytes in a second since then. */
    double speed(Moment earlier) {
      return (read - earlier.read) * 1e3 / (clock - earlier.clock);
    }

    /** Megabytes in a second of a processor since then. */
    double work(Moment earlier) {
      return (read - earlier.read) * 1e3 / (processor - earlier.processor);
    }
  }

  /** Megabytes in a second, and in a second of a processor. */
  private record Speed(double clock, double processor) {
    static Speed between(Moment began, Moment ended) {
      return new Speed(ended.speed(began), ended.work(began));
    }
  }

  @Override
  public String name() {
    return "scan";
  }

  @Override
  public String description() {
    return "throughput of the Flink source against bare range reads: of files in the page cache, of"
        + " files on the disk, on a loopback S3 server";
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
        String size = payload.getKey();
        Path files = directory.resolve(size);
        Path bucket = directory.resolve("s3").resolve(LoopbackS3.BUCKET);
        String remote = "s3://" + LoopbackS3.BUCKET + "/stream";
        int length = payload.getValue();
        for (Case one :
            List.of(
                new Case("file_" + size, files.toString(), Map.of(), length, FILES, () -> {}),
                new Case(
                    "disk_" + size,
                    files.toString(),
                    Map.of(),
                    length,
                    FILES,
                    () -> Directories.evict(files)),
                new Case("s3_" + size, remote, s3.options(), length, REMOTE, () -> {}))) {
          if (cases.isEmpty() || cases.contains(one.name())) {
            measure(result, one);
            Directories.delete(files);
            Directories.delete(bucket);
            Files.createDirectories(bucket);
          }
        }
      }
    } finally {
      Directories.delete(directory);
    }
    return result;
  }

  private static void measure(Result result, Case one) throws Exception {
    slices = write(one);
    preparation = one.before();
    Map<String, String> logged = new TreeMap<>(one.options());
    logged.put(LoggedStores.TARGET, one.address());
    List<Speed> source = new ArrayList<>();
    List<Speed> raw = new ArrayList<>();
    read(logged);
    for (int round = 0; round < ROUNDS; round++) {
      source.add(read(logged));
      one.before().run();
      raw.add(readBare(one));
    }
    double speed = median(source, Speed::clock);
    double bare = median(raw, Speed::clock);
    double work = median(source, Speed::processor) / median(raw, Speed::processor);
    System.out.printf(
        "  %-9s source %6.0f MB/s, bare ranges %6.0f MB/s: %.2f; processor time: %.2f;"
            + " %d requests, %d at once%n",
        one.name(),
        speed,
        bare,
        speed / bare,
        work,
        LoggedStores.log("scan").ranges().size(),
        LoggedStores.log("scan").mostRunning());
    result.with("ratio_to_raw_" + one.name(), speed / bare).with("work_ratio_" + one.name(), work);
  }

  private static double median(List<Speed> speeds, ToDoubleFunction<Speed> value) {
    return speeds.stream().mapToDouble(value).sorted().toArray()[speeds.size() / 2];
  }

  /** Returns how many slices there are. */
  private static long write(Case one) {
    byte[] bytes = new byte[one.payload()];
    new SplittableRandom(7).nextBytes(bytes);
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < MESH.slices(); i++) {
      slices.add(Slice.of(bytes, 1));
    }
    GlobalBatch batch = GlobalBatch.of(MESH, slices);
    try (ObjectStore store = Stores.open(one.address(), one.options());
        Producer producer =
            Producer.builder(
                    TrainingStream.openOrCreate(store, StreamInfo.create(MESH, "raw")), "bench")
                .staging(new StagingSettings(64, 64 << 20, 256 << 20, 4, Compression.NONE))
                .build()) {
      long batches = one.bytes() / ((long) one.payload() * MESH.slices());
      for (long i = 0; i < batches; i++) {
        producer.append(batch, ByteString.EMPTY);
      }
      return batches * MESH.slices();
    }
  }

  private static Speed read(Map<String, String> options) throws Exception {
    LakestreamSource<Long> pass =
        LakestreamSource.<Long>builder()
            .path("logged://scan/stream")
            .storeOptions(options)
            .deserializer(new Lengths())
            .boundedBy(BoundedMode.latest())
            .build();
    var passes = HybridSource.builder(pass);
    for (int i = 1; i < PASSES; i++) {
      passes = passes.addSource(prepared(pass), Boundedness.BOUNDED);
    }
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(READERS);
    environment
        .fromSource(passes.build(), WatermarkStrategy.noWatermarks(), "scan", Types.LONG)
        .sinkTo(new DiscardingSink<>());
    LEFT.set(PASSES * slices);
    environment.execute("scan");
    if (LEFT.get() != 0) {
      throw new IllegalStateException(
          LEFT + " of " + PASSES * slices + " slices did not reach the job.");
    }
    return Speed.between(began, ended);
  }

  @SuppressWarnings("rawtypes") // as a hybrid source has it
  private static HybridSource.SourceFactory<Long, LakestreamSource<Long>, SplitEnumerator> prepared(
      LakestreamSource<Long> pass) {
    return previous -> {
      try {
        preparation.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return pass;
    };
  }

  /** Takes note of a slice where it lies: what a job makes of the bytes is not measured. */
  private static final class Lengths implements SliceDeserializer<Long> {

    private static final long serialVersionUID = 1L;

    @Override
    public RecordIterator<Long> read(SliceMetadata slice, ByteBuffer bytes, long from) {
      long left = LEFT.decrementAndGet();
      if (left == slices) {
        LoggedStores.log("scan").clear(); // Nothing is under way between two passes.
      } else if (left == slices / 2) {
        began = Moment.now();
      } else if (left == 0) {
        ended = Moment.now();
      }
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

  /**
   * Asks for the ranges that the source asked for the last time, in its order, so many at once as
   * it did.
   */
  private static Speed readBare(Case one) {
    LoggedStores.Log log = LoggedStores.log("scan");
    int most = log.mostRunning();
    try (ObjectStore store = Stores.open(one.address(), one.options())) {
      Moment start = Moment.now();
      long bytes = 0;
      Deque<CompletableFuture<ByteBuffer>> running = new ArrayDeque<>();
      for (LoggedStores.Range range : log.ranges()) {
        if (running.size() >= most) {
          Futures.await(running.remove());
        }
        running.add(store.read(range.key(), range.offset(), range.length()));
        bytes += range.length();
      }
      running.forEach(Futures::await);
      Moment end = Moment.now();
      return Speed.between(start, new Moment(end.clock(), end.processor(), start.read() + bytes));
    }
  }
}
