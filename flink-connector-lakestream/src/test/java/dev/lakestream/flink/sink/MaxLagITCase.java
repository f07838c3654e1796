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
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The sink waits for consumers, and checkpoints do not wait for the sink. */
class MaxLagITCase {

  private static final int MAX_LAG = 20;

  /** With each checkpoint the writers may let batches pass: see {@link LagPacer}. */
  private static final int PASSES = 12;

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  private String address() {
    return directory.resolve("stream").toUri().toString();
  }

  private SinkJob job(CheckpointCounter checkpoints) {
    SinkJob job =
        SinkJob.to(address())
            .count(Long.MAX_VALUE)
            .parallelism(2)
            .checkpointInterval(Duration.ofMillis(300))
            .middle(numbers -> numbers.map(checkpoints))
            .sink(SinkJob::batches)
            .sink(sink -> sink.maxLag(MAX_LAG));
    job.configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
    return job;
  }

  private void consumedTo(long step) {
    try (ObjectStore store = Stores.open(address(), Map.of())) {
      TrainingStream stream = TrainingStream.open(store);
      new Watermarks(stream)
          .write(
              new Watermark(
                  stream.id(),
                  "training",
                  0,
                  1,
                  1,
                  stream.log().newest().version(),
                  step,
                  Optional.of(SinkJob.MESH),
                  0,
                  Watermark.Kind.RANK));
    }
  }

  private void waitsAndGoesOn(SinkJob sink, CheckpointCounter checkpoints) throws Exception {
    JobClient job = sink.start();
    Cluster.until(job, () -> StreamContents.stepsOf(address()) >= MAX_LAG - 2);
    int then = checkpoints.complete();
    Cluster.until(job, () -> checkpoints.complete() >= then + 4);
    long waited = StreamContents.stepsOf(address());
    assertThat(waited).isLessThanOrEqualTo(MAX_LAG + PASSES * (checkpoints.complete() + 1L));

    consumedTo(waited);
    Cluster.until(job, () -> StreamContents.stepsOf(address()) >= waited + MAX_LAG - 2);
    Cluster.cancel(job);
    assertThat(StreamContents.of(address()).texts()).doesNotHaveDuplicates();
  }

  @Test
  void checkpointsGoOnWhileConsumersAreBehindAndTheSinkGoesOnWithThem() throws Exception {
    CheckpointCounter checkpoints = new CheckpointCounter();
    waitsAndGoesOn(job(checkpoints), checkpoints);
  }

  @Test
  void writersThatPublishByThemselvesWaitToo() throws Exception {
    CheckpointCounter checkpoints = new CheckpointCounter();
    waitsAndGoesOn(
        job(checkpoints)
            .sink(sink -> sink.deliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE))
            .sink(sink -> sink.linger(Duration.ofMillis(20))),
        checkpoints);
  }

  @Test
  void alignedBarriersDrainWhatIsBeforeThem() throws Exception {
    CheckpointCounter checkpoints = new CheckpointCounter();
    SinkJob sink = job(checkpoints);
    sink.configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, false);
    JobClient job = sink.start();
    Cluster.until(job, () -> checkpoints.complete() >= 3);
    Cluster.cancel(job);
  }

  @Test
  void batchModeIsRefusedBecauseItWouldWaitForItself() {
    assertThatThrownBy(
            () ->
                SinkJob.to(address())
                    .count(100)
                    .batchMode()
                    .sink(SinkJob::batches)
                    .sink(sink -> sink.maxLag(10))
                    .run())
        .hasStackTraceContaining("Remove sink.max-lag");
    assertThatThrownBy(
            () -> LakestreamSink.builder().maxLag(0).path(address()).batches(b -> null).build())
        .hasMessageContaining("max_lag must be 1 step or more");
  }
}
