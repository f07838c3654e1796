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
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.Answer;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class RecoveryITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(8);

  @TempDir Path directory;

  private final TestStream stream = TestStream.inMemory(new Mesh(3, 2)).stepsPerBundle(1);

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  private String savepoints() {
    return directory.toUri().toString();
  }

  /** Field fault B23: state wins over the option. */
  @Test
  void aSavepointBeforeTheFirstRecordKeepsTheStartThoughTheOptionIsChanged() throws Exception {
    stream.append(100);
    SourceJob first =
        SourceJob.of(stream).source(builder -> builder.startingAt(StartupMode.latest())).start();
    String savepoint = first.stopWithSavepoint(savepoints());
    assertThat(first.take(1)).isEmpty();
    stream.append(1);

    List<String> read =
        SourceJob.of(stream)
            .source(
                builder ->
                    builder.startingAt(StartupMode.earliest()).boundedBy(BoundedMode.step(101)))
            .from(savepoint)
            .run();

    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(100, 101));
  }

  /** Field fault B23: found, and not yet read. */
  @Test
  void splitsThatNobodyHasReadAreKeptByASavepointAtAnyParallelism() throws Exception {
    stream.recordsPerSlice(20).append(50);
    SourceJob first = SourceJob.of(stream).middle(records -> records.map(new Slow(2))).start();
    List<String> read = new ArrayList<>(first.take(30));
    String savepoint = first.stopWithSavepoint(savepoints());
    read.addAll(first.take(Integer.MAX_VALUE));
    assertThat(read).hasSizeLessThan(50 * 6 * 20);

    read.addAll(SourceJob.of(stream).bounded().parallelism(2).from(savepoint).run());

    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(0, 50));
  }

  /** Field fault B23: assigned, and not yet read. */
  @Test
  void splitsThatWereAssignedAndNotReadAreReadAfterAFailure() throws Exception {
    stream.recordsPerSlice(20).append(50);
    Trap trap = Trap.after(100, 3);

    List<String> read = SourceJob.of(stream).bounded().middle(records -> records.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(0, 50));
  }

  /** Field fault B20: a savepoint that is older than what is held. */
  @Test
  void aPositionThatWasReclaimedFailsTheRestoredJobAtOnce() throws Exception {
    stream.append(5);
    SourceJob first = SourceJob.of(stream).start();
    first.take(5 * 18);
    String savepoint = first.stopWithSavepoint(savepoints());
    stream.append(30).reclaim(20);

    assertThat(SourceJob.of(stream).bounded().from(savepoint).start().failure())
        .contains(PositionReclaimedException.class.getName(), "SuppressRestarts");
    List<String> read =
        SourceJob.of(stream)
            .source(
                builder ->
                    builder.boundedBy(BoundedMode.latest()).onReclaimed(OnReclaimed.EARLIEST))
            .from(savepoint)
            .run();
    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(20, 35));
  }

  @Test
  void aStreamThatDoesNotExistFailsTheJobAtOnce() throws Exception {
    assertThat(SourceJob.of("mem://no-such-store/stream").start().failure())
        .contains(StreamNotFoundException.class.getName(), "SuppressRestarts");
  }

  @Test
  void aDiscoveryThatFailsForGoodFailsTheJob() throws Exception {
    stream.append(1);
    SourceJob job = SourceJob.of(stream).start();
    job.awaitCheckpoint();
    MemoryStores.makeFaulty(stream.storeName())
        .on(Op.READ_SUFFIX, key -> key.contains("manifest"))
        .answer(Answer.denied());

    assertThat(job.failure()).contains("injected DENIED on READ_SUFFIX");
  }

  @Test
  void aGroupMovesWithCheckpointsAndTheNextJobStartsThere() throws Exception {
    stream.append(10);
    SourceJob first =
        SourceJob.of(stream)
            .source(builder -> builder.startingAt(StartupMode.group("replay")))
            .start();
    first.take(10 * 18);
    Watermarks watermarks = new Watermarks(stream.stream());
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> watermarks.step("replay").orElse(-1) == 10);
    first.cancel();
    stream.append(4);

    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .source(builder -> builder.startingAt(StartupMode.group("replay")))
            .run();

    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(10, 14));
  }

  @Test
  void aGroupOfAJobWithoutCheckpointsStaysWhereTheJobStarted() throws Exception {
    stream.append(10);
    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .withoutCheckpoints()
            .source(
                builder -> builder.startingAt(StartupMode.step(4)).consumerGroup("no-checkpoints"))
            .run();

    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(4, 10));
    assertThat(new Watermarks(stream.stream()).step("no-checkpoints")).hasValue(4);
  }

  @Test
  void optionsOfTheStoreReachIt() throws Exception {
    stream.append(1);
    assertThat(
            SourceJob.of(stream)
                .bounded()
                .source(builder -> builder.storeOptions(Map.of("retry.max-elapsed", "1 s")))
                .run())
        .hasSize(18);
  }
}
