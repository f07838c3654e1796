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
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Field fault B12: a job without input. */
class IdleITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  @Test
  void emptyCheckpointsMakeNoManifestAndALateElementIsPublished() throws Exception {
    String address = directory.resolve("stream").toUri().toString();
    CheckpointCounter checkpoints = new CheckpointCounter();
    JobClient job =
        SinkJob.to(address)
            .count(Long.MAX_VALUE)
            .perCheckpoint(1)
            .checkpointInterval(Duration.ofMillis(10))
            .middle(numbers -> numbers.map(checkpoints).filter(number -> number == 60))
            .sink(SinkJob::batches)
            .start();

    // One element passes with each checkpoint, so that there are 50 and more before that one.
    Cluster.until(job, () -> StreamContents.stepsOf(address) == 1);
    int then = checkpoints.complete();
    assertThat(then).isGreaterThanOrEqualTo(50);
    Cluster.until(job, () -> checkpoints.complete() >= then + 50);
    Cluster.cancel(job);

    StreamContents contents = StreamContents.of(address);
    assertThat(contents.texts()).containsExactly("60");
    // Created, taken over, and one publication: none for the checkpoints around it.
    assertThat(contents.newest().version()).isEqualTo(2);
  }

  @Test
  void anIdleProducerKeepsItsPlaceBesideABusyOne() throws Exception {
    String address = directory.resolve("stream").toUri().toString();
    JobClient idle =
        SinkJob.to(address)
            .count(Long.MAX_VALUE)
            .perCheckpoint(1)
            .middle(numbers -> numbers.filter(number -> number == 30))
            .sink(SinkJob::batches)
            .sink(sink -> sink.producerId("idle"))
            .start();
    SinkJob.to(address)
        .count(100)
        .perCheckpoint(10)
        .sink(SinkJob::batches)
        .sink(sink -> sink.producerId("busy"))
        .run();

    await().atMost(Duration.ofSeconds(60)).until(() -> StreamContents.stepsOf(address) == 101);
    Cluster.cancel(idle);
    assertThat(StreamContents.of(address).newest().producers())
        .extracting(producer -> producer.producerId())
        .containsExactly("busy", "idle");
  }
}
