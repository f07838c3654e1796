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
package dev.lakestream.flink.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.PatientCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One stream after the other in one job: by Flink's source that goes from source to source. */
class HybridSourceITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(4);

  @TempDir Path directory;

  private final TestStream first = TestStream.inMemory(new Mesh(3, 2)).stepsPerBundle(1);
  private final TestStream second = TestStream.inMemory(new Mesh(2, 1)).stepsPerBundle(1);

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  /** After a recovery its readers hold splits of which the enumerator does not know. */
  @Test
  void aConsumerGroupIsRefused() throws Exception {
    first.append(1);
    second.append(1);
    SourceJob history = SourceJob.of(first).bounded().source(builder -> builder.consumerGroup("g"));
    assertThat(SourceJob.of(second).bounded().after(history).start().failure())
        .contains("'scan.consumer-group' cannot be used", "SuppressRestarts");
  }

  private SourceJob bothJob() {
    return SourceJob.of(second).bounded().after(SourceJob.of(first).bounded());
  }

  private List<String> bothRecords(int firstSteps, int secondSteps) {
    List<String> all = new ArrayList<>(first.records(0, firstSteps));
    all.addAll(second.records(0, secondSteps));
    return all;
  }

  @Test
  void bothAreReadToTheirEnds() throws Exception {
    first.append(20);
    second.append(20);
    assertThat(bothJob().run()).containsExactlyInAnyOrderElementsOf(bothRecords(20, 20));
    assertThat(bothJob().batchMode().run())
        .containsExactlyInAnyOrderElementsOf(bothRecords(20, 20));
  }

  @Test
  void eachRecordIsReadOnceThoughTheJobFailsInTheFirst() throws Exception {
    first.recordsPerSlice(20).append(40);
    second.append(10);
    Trap trap = Trap.after(100, 2); // of 1600 that each task has

    List<String> read = bothJob().middle(records -> records.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertThat(read).containsExactlyInAnyOrderElementsOf(bothRecords(40, 10));
  }

  @Test
  void aSavepointOfTheFirstGoesOnToTheSecondWhichIsFollowed() throws Exception {
    first.recordsPerSlice(20).append(30);
    second.append(5);
    SourceJob job =
        SourceJob.of(second)
            .after(SourceJob.of(first).bounded())
            .middle(records -> records.map(new Slow(2)));
    job.start();
    List<String> read = new ArrayList<>(job.take(100));
    String savepoint = job.stopWithSavepoint(directory.toUri().toString());
    read.addAll(job.take(Integer.MAX_VALUE));
    assertThat(read).hasSizeLessThan(30 * 6 * 20);

    SourceJob restored =
        SourceJob.of(second)
            .after(SourceJob.of(first).bounded())
            .parallelism(2)
            .from(savepoint)
            .start();
    List<String> all = bothRecords(30, 5);
    read.addAll(restored.take(all.size() - read.size()));
    assertThat(read).containsExactlyInAnyOrderElementsOf(all);
    second.append(1);
    assertThat(restored.take(6)).containsExactlyInAnyOrderElementsOf(second.records(5, 6));
  }
}
