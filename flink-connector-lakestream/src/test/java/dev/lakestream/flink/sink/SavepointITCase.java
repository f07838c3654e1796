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

import dev.lakestream.commit.OnRewind;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** New submissions: of a savepoint, of an old one, of one twice, and beside a job that lives. */
class SavepointITCase {

  private static final int COUNT = 120;

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  private String name;
  private String address;

  @BeforeEach
  void newStore() {
    name = "savepoint-" + System.nanoTime();
    address = "mem://" + name + "/stream";
  }

  @AfterEach
  void removeStore() {
    MemoryStores.remove(name);
  }

  private SinkJob job() {
    return SinkJob.to(address).count(COUNT).perCheckpoint(10).sink(SinkJob::batches);
  }

  private SinkJob endless() {
    return job().count(Long.MAX_VALUE).perCheckpoint(2);
  }

  private long steps() {
    return StreamContents.stepsOf(address);
  }

  private ProducerEntry producer() {
    return StreamContents.of(address).newest().producers().get(0);
  }

  @Test
  void aSavepointResubmittedAsANewJobGoesOnUnderTheSameProducer() throws Exception {
    JobClient first = job().start();
    Cluster.until(first, () -> steps() >= 30);
    String savepoint = Cluster.stop(first, directory);

    job().from(savepoint).run();

    assertThat(StreamContents.of(address).texts())
        .containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT));
    assertThat(StreamContents.of(address).newest().producers()).hasSize(1);
    assertThat(producer().owners()).hasSize(2);
  }

  /** Field fault B08: the commit landed, the job never learned of it, and the JobID is new. */
  @Test
  void aPublishedCheckpointThatIsRestoredByANewJobIsRecognised() throws Exception {
    FaultyStore store = MemoryStores.makeFaulty(name);
    AtomicBoolean silent = new AtomicBoolean();
    store
        .on(Op.CREATE, key -> key.endsWith("0006.manifest"))
        .times(1)
        .answer(
            request ->
                request
                    .proceed()
                    .thenCompose(
                        done -> {
                          silent.set(true);
                          return new CompletableFuture<>();
                        }));
    JobClient first = job().savepointsIn(directory.toUri().toString()).start();
    Cluster.until(first, silent::get);
    Cluster.cancel(first);
    store.heal();

    job().from(Checkpoints.newest(directory, first.getJobID())).run();

    assertThat(StreamContents.of(address).texts())
        .containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT));
  }

  @Test
  void anOldSavepointIsRefusedAndBothJobsAreNamed() throws Exception {
    JobClient first = job().name("the first").start();
    Cluster.until(first, () -> steps() >= 20);
    String old = Cluster.savepoint(first, directory);
    long then = steps();
    Cluster.until(first, () -> steps() >= then + 30);
    Cluster.stop(first, directory);
    long published = steps();

    String failure = Cluster.failure(job().name("the second").restarts(1000).from(old).start());

    assertThat(failure)
        .contains("RewindException", "the first", "the second", "sink.on-rewind = append", "steps");
    assertThat(steps()).isEqualTo(published);
  }

  @Test
  void anOldSavepointIsAppendedAgainWhenThatIsWanted() throws Exception {
    JobClient first = job().start();
    Cluster.until(first, () -> steps() >= 20);
    String old = Cluster.savepoint(first, directory);
    long then = steps();
    Cluster.until(first, () -> steps() >= then + 30);
    Cluster.stop(first, directory);
    List<String> before = StreamContents.of(address).texts();

    Trap trap = Trap.at(100, 1);
    job()
        .middle(numbers -> numbers.map(trap))
        .sink(sink -> sink.onRewind(OnRewind.APPEND))
        .from(old)
        .run();

    List<String> after = StreamContents.of(address).texts();
    assertThat(after.subList(0, before.size())).isEqualTo(before);
    List<String> again = new ArrayList<>(after.subList(before.size(), after.size()));
    assertThat(again).doesNotHaveDuplicates();
    assertThat(after).containsAll(SinkJob.numbers(COUNT));
    assertThat(producer().lineages()).hasSize(2);
    assertThat(trap.left()).isZero();
  }

  @Test
  void ofTwoClonesTheOlderIsFencedForGood() throws Exception {
    JobClient origin = endless().name("the origin").start();
    Cluster.until(origin, () -> steps() >= 10);
    String savepoint = Cluster.stop(origin, directory);

    JobClient first = endless().name("clone one").restarts(1000).from(savepoint).start();
    long start = steps();
    await().atMost(Duration.ofSeconds(30)).until(() -> producer().owners().size() == 2);
    JobClient second =
        endless()
            .name("clone two")
            .sink(sink -> sink.onRewind(OnRewind.APPEND))
            .from(savepoint)
            .start();

    assertThat(Cluster.failure(first)).contains("FencedException", "clone two", "fences this job");
    long afterFencing = steps();
    Cluster.until(second, () -> steps() > Math.max(start, afterFencing) + 10);
    Cluster.stop(second, directory);
    List<String> texts = StreamContents.of(address).texts();
    assertThat(texts.subList((int) afterFencing, texts.size())).doesNotHaveDuplicates();
  }

  @Test
  void theSecondOfTwoClonesIsRefusedOnceTheFirstHasPublished() throws Exception {
    JobClient origin = endless().start();
    Cluster.until(origin, () -> steps() >= 10);
    String savepoint = Cluster.stop(origin, directory);
    long start = steps();
    JobClient first = endless().name("clone one").from(savepoint).start();
    Cluster.until(first, () -> steps() >= start + 6);

    String failure = Cluster.failure(endless().name("clone two").from(savepoint).start());

    assertThat(failure).contains("RewindException", "clone one", "clone two");
    long then = steps();
    Cluster.until(first, () -> steps() > then);
    Cluster.cancel(first);
  }

  /** Field fault B15, with default identities. */
  @Test
  void twoJobsWithTheSameDefaultsDoNotDisturbEachOther() throws Exception {
    JobClient first = job().start();
    JobClient second = job().start();
    first.getJobExecutionResult().get();
    second.getJobExecutionResult().get();

    List<String> twice = new ArrayList<>(SinkJob.numbers(COUNT));
    twice.addAll(SinkJob.numbers(COUNT));
    assertThat(StreamContents.of(address).texts()).containsExactlyInAnyOrderElementsOf(twice);
    assertThat(StreamContents.of(address).newest().producers()).hasSize(2);
  }

  /** Field fault B15, with a clash that was asked for. */
  @Test
  void ofTwoJobsUnderOneProducerIdTheOlderIsFenced() throws Exception {
    JobClient first =
        endless().name("older").restarts(1000).sink(sink -> sink.producerId("shared")).start();
    Cluster.until(first, () -> steps() >= 4);
    JobClient second = endless().name("newer").sink(sink -> sink.producerId("shared")).start();

    assertThat(Cluster.failure(first))
        .contains("FencedException", "Producer \"shared\"", "job \"newer\"");
    long then = steps();
    Cluster.until(second, () -> steps() >= then + 10);
    Cluster.cancel(second);
  }

  /** A committer that hangs in its create while another job takes over, and wakes up after. */
  @Test
  void aFrozenCommitterThatWakesLatePublishesNothing() throws Exception {
    FaultyStore store = MemoryStores.makeFaulty(name);
    CompletableFuture<Void> thaw = new CompletableFuture<>();
    AtomicBoolean frozen = new AtomicBoolean();
    JobClient first = endless().name("frozen").restarts(1000).start();
    Cluster.until(first, () -> steps() >= 10);
    String savepoint = Cluster.savepoint(first, directory);
    store
        .on(Op.CREATE, key -> key.contains("/manifest/"))
        .times(1)
        .answer(
            request -> {
              frozen.set(true);
              return thaw.thenCompose(ignored -> request.proceed());
            });
    Cluster.until(first, frozen::get);

    JobClient second =
        endless()
            .name("awake")
            .sink(sink -> sink.onRewind(OnRewind.APPEND))
            .from(savepoint)
            .start();
    long then = steps();
    Cluster.until(second, () -> steps() >= then + 20);
    thaw.complete(null);

    assertThat(Cluster.failure(first)).contains("FencedException", "awake");
    Cluster.stop(second, directory);
    List<String> texts = StreamContents.of(address).texts();
    assertThat(texts.subList((int) then, texts.size())).doesNotHaveDuplicates();
  }

  @Test
  void stateOfAnotherStreamIsRefusedAndBothAreNamed() throws Exception {
    JobClient first = endless().start();
    Cluster.until(first, () -> steps() >= 4);
    String savepoint = Cluster.stop(first, directory);
    String other = "mem://" + name + "/other";

    String failure =
        Cluster.failure(
            SinkJob.to(other)
                .perCheckpoint(10)
                .restarts(1000)
                .sink(SinkJob::batches)
                .from(savepoint)
                .start());

    assertThat(failure).contains("StateMismatchException", "/other", producerStream().toString());
  }

  @Test
  void anotherProducerIdThanTheRestoredOneIsRefusedAndBothAreNamed() throws Exception {
    JobClient first = endless().sink(sink -> sink.producerId("yesterday")).start();
    Cluster.until(first, () -> steps() >= 4);
    String savepoint = Cluster.stop(first, directory);

    String failure =
        Cluster.failure(endless().sink(sink -> sink.producerId("today")).from(savepoint).start());

    assertThat(failure).contains("StateMismatchException", "\"yesterday\"", "\"today\"");
  }

  private java.util.UUID producerStream() {
    return StreamContents.of(address).newest().streamId();
  }
}
