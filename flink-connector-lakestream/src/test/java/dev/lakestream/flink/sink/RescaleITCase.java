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

import dev.lakestream.manifest.Manifest;
import java.nio.file.Path;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class RescaleITCase {

  private static final int COUNT = 403;

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  @Test
  void samplesOfPartialBatchesSurviveRescalingFromFourToTwoToThree() throws Exception {
    String address = directory.resolve("stream").toUri().toString();

    JobClient four = job(address, 4).start();
    Cluster.until(four, () -> size(address) > 40);
    String first = Cluster.stop(four, directory);
    long afterFour = size(address);

    JobClient two = job(address, 2).from(first).start();
    Cluster.until(two, () -> size(address) > afterFour + 40);
    String second = Cluster.stop(two, directory);

    job(address, 3).from(second).run();

    StreamContents contents = StreamContents.of(address);
    assertThat(contents.records()).containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT));
    assertThat(contents.newest().producers()).hasSize(1);
    assertThat(contents.newest().producers().get(0).owners()).hasSize(3);
    assertThat(contents.newest().producers().get(0).lineages()).hasSize(1);
  }

  @Test
  void batchesSurviveRescalingFromTwoToFour() throws Exception {
    String address = directory.resolve("stream").toUri().toString();

    JobClient two = SinkJob.to(address).count(200).perCheckpoint(10).sink(SinkJob::batches).start();
    Cluster.until(two, () -> StreamContents.stepsOf(address) > 20);
    String savepoint = Cluster.stop(two, directory);

    SinkJob.to(address)
        .count(200)
        .perCheckpoint(50)
        .parallelism(4)
        .from(savepoint)
        .sink(SinkJob::batches)
        .run();

    assertThat(StreamContents.of(address).texts())
        .containsExactlyInAnyOrderElementsOf(SinkJob.numbers(200));
  }

  /** Batches of 2 x 3 samples, so that at most writers wait for some at any time. */
  private static SinkJob job(String address, int parallelism) {
    return SinkJob.to(address)
        .count(COUNT)
        .perCheckpoint(17)
        .parallelism(parallelism)
        .sink(SinkJob.samples(3));
  }

  private static long size(String address) {
    return StreamContents.newestOf(address).map(Manifest::totalRecords).orElse(0L);
  }
}
