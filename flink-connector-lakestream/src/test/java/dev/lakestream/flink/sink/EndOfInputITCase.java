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

import dev.lakestream.TestForm;
import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Field fault B10: the job has finished, so everything is there. What it meets is a race, so that
 * each case is run again and again: twenty times at each parallelism in the long form of the tests.
 */
class EndOfInputITCase {

  private static final Duration NEVER = Duration.ofMinutes(10);

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  private String address;

  @BeforeEach
  void newStream() {
    address = directory.resolve("stream").toUri().toString();
  }

  /** The parallelism of each run. */
  private static IntStream runs(int repeatsInTheShortForm) {
    int repeats = TestForm.isLong() ? 20 : repeatsInTheShortForm;
    return IntStream.of(1, 4)
        .flatMap(parallelism -> IntStream.generate(() -> parallelism).limit(repeats));
  }

  static IntStream manyRuns() {
    return runs(6);
  }

  static IntStream someRuns() {
    return runs(2);
  }

  private void assertAll(long count) {
    assertThat(StreamContents.of(address).texts())
        .containsExactlyInAnyOrderElementsOf(SinkJob.numbers(count));
  }

  @ParameterizedTest
  @MethodSource("someRuns")
  void boundedInputBetweenCheckpointsInStreamingMode(int parallelism) throws Exception {
    SinkJob.to(address)
        .count(10)
        .parallelism(parallelism)
        .checkpointInterval(NEVER)
        .sink(SinkJob::batches)
        .run();

    assertAll(10);
    assertThat(StreamContents.of(address).publications()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("someRuns")
  void boundedInputInBatchMode(int parallelism) throws Exception {
    SinkJob.to(address)
        .count(10)
        .parallelism(parallelism)
        .noCheckpoints()
        .batchMode()
        .sink(SinkJob::batches)
        .run();

    assertAll(10);
    assertThat(StreamContents.of(address).publications()).isEqualTo(1);
  }

  @Test
  void aFailureInBatchModeIsRepeatedWithoutDuplicates() throws Exception {
    Trap trap = Trap.at(7, 2);
    SinkJob.to(address)
        .count(10)
        .noCheckpoints()
        .batchMode()
        .middle(numbers -> numbers.map(trap))
        .sink(SinkJob::batches)
        .run();

    assertThat(trap.left()).isZero();
    assertAll(10);
  }

  @Test
  void aCommitInBatchModeThatLandsAndFailsIsNotRepeated() throws Exception {
    String name = "batch-" + System.nanoTime();
    address = "mem://" + name + "/stream";
    FaultyStore store = MemoryStores.makeFaulty(name);
    store
        .on(Op.CREATE, key -> key.endsWith("02.manifest"))
        .times(1)
        .answer(
            request ->
                request
                    .proceed()
                    .thenCompose(
                        done ->
                            CompletableFuture.failedFuture(
                                new StoreException(Fault.DENIED, "On purpose, once applied"))));

    SinkJob.to(address).count(10).noCheckpoints().batchMode().sink(SinkJob::batches).run();

    assertThat(store.log().count(Op.CREATE, "stream/manifest/00000000000000000002")).isEqualTo(1);
    assertAll(10);
    MemoryStores.remove(name);
  }

  @ParameterizedTest
  @MethodSource("manyRuns")
  void theLastElementsAfterACompleteCheckpoint(int parallelism) throws Exception {
    SinkJob.to(address)
        .count(1000)
        .perCheckpoint(997)
        .parallelism(parallelism)
        .checkpointInterval(Duration.ofMillis(20))
        .sink(SinkJob::batches)
        .sink(sink -> sink.bundleMaxSteps(64))
        .run();

    assertAll(1000);
  }

  @Test
  void exactlyOnceWithoutCheckpointsIsRefusedAtSubmission() {
    SinkJob job = SinkJob.to(address).noCheckpoints().sink(SinkJob::batches);

    assertThatThrownBy(job::start)
        .hasStackTraceContaining("checkpointing is off")
        .hasStackTraceContaining("execution.checkpointing.interval")
        .hasStackTraceContaining("at-least-once");
    assertThat(StreamContents.newestOf(address)).isEmpty();
  }

  @Test
  void exactlyOnceWithoutALastCheckpointIsRefusedAtSubmission() {
    SinkJob job = SinkJob.to(address).sink(SinkJob::batches);
    job.configuration.set(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH, false);

    assertThatThrownBy(job::start).hasStackTraceContaining("checkpoints-after-tasks-finish");
  }

  @ParameterizedTest
  @MethodSource("someRuns")
  void atLeastOnceWithoutCheckpointsPublishesAllAtTheEnd(int parallelism) throws Exception {
    SinkJob.to(address)
        .count(10)
        .parallelism(parallelism)
        .noCheckpoints()
        .sink(SinkJob::batches)
        .sink(sink -> sink.deliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE))
        .run();

    assertAll(10);
  }

  @Test
  void aRemainderIsEmittedInAPartialBatch() throws Exception {
    samples(RemainderPolicy.EMIT).run();

    StreamContents contents = StreamContents.of(address);
    assertThat(contents.records()).containsExactlyElementsOf(SinkJob.numbers(10));
    assertThat(contents.steps()).hasSize(3);
    assertThat(RecordSlice.decode(contents.steps().get(2).get(0).bytes()).count()).isEqualTo(2);
    assertThat(contents.steps().get(2).get(1).bytes().hasRemaining()).isFalse();
  }

  @Test
  void aRemainderIsDroppedWhenThatIsWanted() throws Exception {
    samples(RemainderPolicy.DROP).run();

    assertThat(StreamContents.of(address).records()).containsExactlyElementsOf(SinkJob.numbers(8));
  }

  @Test
  void aRemainderFailsTheJobWhenThatIsWantedAndPublishesNothing() throws Exception {
    String failure = Cluster.failure(samples(RemainderPolicy.FAIL).restarts(1000).start());

    assertThat(failure).contains("RemainderException", "2 of the 4 samples", "sink.remainder");
    assertThat(StreamContents.of(address).steps()).isEmpty();
  }

  /** Batches of 2 x 2 samples. */
  private SinkJob samples(RemainderPolicy policy) {
    return SinkJob.to(address)
        .count(10)
        .parallelism(1)
        .checkpointInterval(NEVER)
        .sink(SinkJob.samples(2))
        .sink(sink -> sink.remainder(policy));
  }
}
