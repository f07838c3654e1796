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
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * A job that fills a stream as fast as the sink takes it, until some of its checkpoints have been
 * published; then it is cancelled. Published bundles are swept away.
 */
final class IngestJob {

  static final int WRITERS = 2;
  static final int UPLOADS = 4;

  private static final Mesh MESH = new Mesh(4, 1);

  private final String address;
  private final Map<String, String> options;
  private final int payload;
  private final Duration interval;

  /**
   * @param payload bytes of a slice
   * @param interval between checkpoints
   */
  IngestJob(String address, Map<String, String> options, int payload, Duration interval) {
    this.address = address;
    this.options = options;
    this.payload = payload;
    this.interval = interval;
  }

  /**
   * What the job wrote: sizes of the objects of each publication.
   *
   * @param before what was published while the job warmed up
   * @param counted what was published after that
   * @param nanos from the last publication of the first to that of the second
   */
  record Published(List<List<Long>> before, List<List<Long>> counted, double nanos) {

    double bytes() {
      return counted.stream().flatMap(List::stream).mapToLong(Long::longValue).sum();
    }
  }

  /**
   * @param directory of the stream's objects
   * @param warmUp so many publications before the first of the two that count
   * @param counted so many after it
   */
  Published run(Path directory, int warmUp, int counted) throws Exception {
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
    try (ObjectStore store = Stores.open(address, options);
        Sweeper sweeper = new Sweeper(directory)) {
      return follow(job, store, sweeper, warmUp, counted);
    } finally {
      job.cancel().get();
    }
  }

  private static Published follow(
      JobClient job, ObjectStore store, Sweeper sweeper, int warmUp, int counted) throws Exception {
    List<List<Long>> published = new ArrayList<>();
    long reached = 0;
    long begun = 0;
    for (; ; ) {
      if (job.getJobStatus().get().isGloballyTerminalState()) {
        job.getJobExecutionResult().get();
      }
      Thread.sleep(20);
      Optional<Manifest> newest = newest(store);
      if (newest.isEmpty() || newest.get().nextStep() == reached) {
        continue;
      }
      List<Long> sizes = new ArrayList<>();
      for (BundleDescriptor bundle :
          TrainingStream.open(store).history(newest.get()).bundles(reached, Integer.MAX_VALUE)) {
        sizes.add(bundle.bundle().objectLength());
        sweeper.sweep(bundle.bundle().object());
      }
      published.add(sizes);
      reached = newest.get().nextStep();
      if (published.size() == warmUp + 1) {
        begun = newest.get().createdAt();
      } else if (published.size() == warmUp + 1 + counted) {
        return new Published(
            published.subList(0, warmUp + 1),
            published.subList(warmUp + 1, published.size()),
            (newest.get().createdAt() - begun) * 1e6);
      }
    }
  }

  private static Optional<Manifest> newest(ObjectStore store) {
    try {
      return Optional.of(TrainingStream.open(store).log().newest());
    } catch (StreamNotFoundException early) {
      return Optional.empty();
    }
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
}
