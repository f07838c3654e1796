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

import dev.lakestream.assembly.Packing;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RescaleITCase {

  private static final int COUNT = 403;

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  @Test
  void samplesOfPartialBatchesSurviveRescalingAndFailures() throws Exception {
    fourToTwoToThree(SinkJob.samples(3));

    StreamContents contents = StreamContents.of(address());
    assertThat(contents.records()).containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT));
    assertThat(contents.newest().producers()).hasSize(1);
    assertThat(contents.newest().producers().get(0).owners()).hasSize(3);
    assertThat(contents.newest().producers().get(0).lineages()).hasSize(1);
  }

  @Test
  void samplesInShuffleBuffersSurviveThemToo() throws Exception {
    fourToTwoToThree(sink -> SinkJob.samples(3).apply(sink).shuffle(42, 8));

    List<String> records = StreamContents.of(address()).records();
    assertThat(records)
        .containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT))
        .isNotEqualTo(SinkJob.numbers(COUNT));
  }

  /** Documents wait in sequences that are not full, and some have been written in part. */
  @ParameterizedTest
  @EnumSource(Packing.class)
  void everyTokenOfPackedDocumentsIsThereOnce(Packing packing) throws Exception {
    fourToTwoToThree(SinkJob.documents(Assembly.tokenPacking(8, 1).packing(packing).lookahead(2)));

    assertThat(StreamContents.of(address()).tokens())
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, COUNT)
                .boxed()
                .flatMap(number -> SinkJob.tokens(number).boxed())
                .toList());
  }

  @Test
  void batchesSurviveRescalingFromTwoToFour() throws Exception {
    String address = address();

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

  /** Two savepoints, and a failure before the first one and after the second. */
  private void fourToTwoToThree(UnaryOperator<LakestreamSinkBuilder<Long>> sink) throws Exception {
    Trap early = Trap.at(60, 1);
    JobClient four = job(sink, 4).middle(numbers -> numbers.map(early)).start();
    Cluster.until(four, () -> early.left() == 0);
    // Several checkpoints further on all tasks run again, as a savepoint needs them to.
    long atFailure = steps();
    Cluster.until(four, () -> steps() > atFailure + 10);
    String first = Cluster.stop(four, directory);
    long afterFour = steps();

    JobClient two = job(sink, 2).from(first).start();
    Cluster.until(two, () -> steps() > afterFour + 6);
    String second = Cluster.stop(two, directory);

    Trap late = Trap.at(COUNT - 5, 1);
    job(sink, 3).middle(numbers -> numbers.map(late)).from(second).run();
    assertThat(late.left()).isZero();
  }

  private SinkJob job(UnaryOperator<LakestreamSinkBuilder<Long>> sink, int parallelism) {
    return SinkJob.to(address()).count(COUNT).perCheckpoint(17).parallelism(parallelism).sink(sink);
  }

  private String address() {
    return directory.resolve("stream").toUri().toString();
  }

  private long steps() {
    return StreamContents.stepsOf(address());
  }
}
