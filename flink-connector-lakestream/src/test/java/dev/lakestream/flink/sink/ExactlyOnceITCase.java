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

import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultPlan;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A failure before and after each point of the two-phase commit. */
class ExactlyOnceITCase {

  private static final int COUNT = 80;
  private static final String LATER = "stream/manifest/00000000000000000003";

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  private String name;
  private String address;
  private FaultyStore store;

  @BeforeEach
  void newStore() {
    name = "exactly-once-" + System.nanoTime();
    address = "mem://" + name + "/stream";
    store = MemoryStores.makeFaulty(name);
  }

  @AfterEach
  void removeStore() {
    MemoryStores.remove(name);
  }

  private SinkJob job() {
    return SinkJob.to(address).count(COUNT).perCheckpoint(10).sink(SinkJob::batches);
  }

  private void assertExactlyOnce() {
    store.heal();
    StreamContents contents = StreamContents.of(address);
    assertThat(contents.texts()).containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT));
    assertThat(contents.bundles()).doesNotHaveDuplicates();
  }

  @Test
  void aFailureBetweenCheckpointsOnLocalDisk(@TempDir Path directory) throws Exception {
    address = directory.resolve("stream").toUri().toString();
    Trap trap = Trap.at(60, 1);

    job().middle(numbers -> numbers.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertExactlyOnce();
    assertThat(StreamContents.of(address).publications()).isGreaterThan(3);
  }

  @Test
  void aFailureBeforeTheFirstCheckpoint() throws Exception {
    Trap trap = Trap.at(5, 2);

    job().middle(numbers -> numbers.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertExactlyOnce();
  }

  @Test
  void aFailureDuringAnUpload() throws Exception {
    store.on(Op.PUT, ExactlyOnceITCase::isData).after(3).times(2).answer(Answer.denied());

    job().run();

    assertExactlyOnce();
  }

  @Test
  void aFailureAfterTheSnapshotAndAboutTheTimeOfItsNotification() throws Exception {
    NotifyTrap trap = new NotifyTrap(2);

    job().middle(numbers -> numbers.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertExactlyOnce();
  }

  @Test
  void aFailureInsideACommitBeforeTheCreate() throws Exception {
    store.on(Op.CREATE, ExactlyOnceITCase::isManifest).times(1).answer(Answer.denied());

    job().run();

    assertExactlyOnce();
  }

  @Test
  void aFailureInsideACommitAfterTheCreate() throws Exception {
    store.on(Op.CREATE, ExactlyOnceITCase::isManifest).times(1).answer(appliedAndFails());

    job().run();

    assertExactlyOnce();
  }

  @Test
  void aLostReplyOfACommitNeedsNoRestart() throws Exception {
    store.on(Op.CREATE, ExactlyOnceITCase::isManifest).times(2).answer(Answer.lostReply());

    job().restarts(0).run();

    assertExactlyOnce();
  }

  @Test
  void aFailureAfterThePublishAndBeforeItsReturn() throws Exception {
    AtomicBoolean created = new AtomicBoolean();
    store
        .on(Op.CREATE, ExactlyOnceITCase::isManifest)
        .times(1)
        .answer(
            request -> {
              created.set(true);
              return request.proceed();
            });
    store.on(Op.LIST, key -> created.compareAndSet(true, false)).times(1).answer(Answer.denied());

    job().run();

    assertThat(created).isFalse();
    assertExactlyOnce();
  }

  /** Field fault B06: an outcome that nobody learns, until retries are spent. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitThatTimesOutDeletesNothingAndIsRepeatedAfterTheRestart(boolean applied)
      throws Exception {
    AtomicBoolean cut = new AtomicBoolean();
    Attempts attempts = new Attempts();
    store
        .on(Op.CREATE, ExactlyOnceITCase::isManifest)
        .times(1)
        .answer(
            request -> {
              cut.set(true);
              return (applied ? Answer.lostReply() : Answer.serverError()).to(request);
            });
    // Until the job has been restarted, no read tells the outcome either.
    for (Op read : List.of(Op.READ, Op.READ_SUFFIX)) {
      store
          .on(read, key -> cut.get() && attempts.started() < 2 && isManifest(key))
          .answer(Answer.serverError());
    }

    job()
        .middle(numbers -> numbers.map(attempts))
        .sink(sink -> sink.commitTimeout(Duration.ofMillis(300)))
        .sink(sink -> sink.storeOptions(Map.of("retry.max-elapsed", "200 ms")))
        .restarts(1000)
        .run();

    assertThat(attempts.started()).isGreaterThan(1);
    assertExactlyOnce();
    assertThat(store.log().count(Op.DELETE, "stream/data/")).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aBusyStore(long seed) throws Exception {
    Trap trap = Trap.at(50, 1);
    store.install(FaultPlan.seeded(seed, 0.02));

    job().middle(numbers -> numbers.map(trap)).restarts(1000).run();

    assertExactlyOnce();
  }

  private static Answer appliedAndFails() {
    return request ->
        request
            .proceed()
            .thenCompose(
                done ->
                    CompletableFuture.failedFuture(
                        new StoreException(Fault.DENIED, "On purpose, after it was applied")));
  }

  /** Of the publications, past the creation and the takeover. */
  private static boolean isManifest(String key) {
    return key.contains("/manifest/") && key.compareTo(LATER) > 0;
  }

  private static boolean isData(String key) {
    return key.contains("/data/");
  }
}
