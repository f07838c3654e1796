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

import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A TaskManager is given up while its committer hangs in the create of a manifest, and the
 * committer wakes up beside the restarted one. Both are of one submission, so no takeover fences
 * the first: the sequence of the lineage lets each checkpoint in once.
 */
class LostTaskManagerITCase {

  private static final int COUNT = 80;
  private static final AtomicInteger NEWEST_TASK_MANAGER = new AtomicInteger();

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  private final CompletableFuture<Void> thaw = new CompletableFuture<>();
  private final AtomicBoolean frozen = new AtomicBoolean();
  private final CompletableFuture<Object> late = new CompletableFuture<>();

  private String name;
  private String address;
  private FaultyStore store;

  @BeforeEach
  void newStore() {
    name = "lost-" + System.nanoTime();
    address = "mem://" + name + "/stream";
    store = MemoryStores.makeFaulty(name);
  }

  @AfterEach
  void removeStore() {
    thaw.complete(null);
    MemoryStores.remove(name);
  }

  /** The first create of manifest 4, after two publications, hangs until {@link #thaw}. */
  private JobClient jobThatFreezes(Attempts attempts) throws Exception {
    store
        .on(Op.CREATE, LostTaskManagerITCase::isManifest4)
        .times(1)
        .answer(
            request -> {
              frozen.set(true);
              thaw.join(); // whatever interrupts the thread, as if its machine stood still
              return request.proceed().whenComplete((outcome, error) -> late.complete(outcome));
            });
    JobClient job =
        SinkJob.to(address)
            .count(COUNT)
            .perCheckpoint(10)
            .restarts(1000)
            .middle(numbers -> numbers.map(attempts))
            .sink(SinkJob::batches)
            .start();
    Cluster.until(job, frozen::get);
    return job;
  }

  /**
   * The job goes on, from its last checkpoint, on a new TaskManager.
   *
   * @return completes when the last thread of the lost one has ended
   */
  private static CompletableFuture<Void> loseTheTaskManager(MiniCluster cluster) throws Exception {
    cluster.startTaskManager();
    return cluster.terminateTaskManager(NEWEST_TASK_MANAGER.getAndIncrement());
  }

  private void assertExactlyOnce() {
    StreamContents contents = StreamContents.of(address);
    assertThat(contents.texts()).containsExactlyInAnyOrderElementsOf(SinkJob.numbers(COUNT));
    assertThat(contents.bundles()).doesNotHaveDuplicates();
    assertThat(contents.newest().producers()).hasSize(1);
    assertThat(contents.newest().producers().get(0).owners()).hasSize(1);
  }

  @Test
  void aCommitterThatWakesAfterTheRestartHasPublishedLosesItsCreate(
      @InjectMiniCluster MiniCluster cluster) throws Exception {
    Attempts attempts = new Attempts();
    JobClient job = jobThatFreezes(attempts);
    CompletableFuture<Void> lost = loseTheTaskManager(cluster);
    job.getJobExecutionResult().get();
    assertThat(attempts.started()).isGreaterThan(1);
    assertThat(lost).isNotDone();

    thaw.complete(null);

    await().atMost(Duration.ofSeconds(30)).until(lost::isDone);
    assertThat(late.join()).isEqualTo(CreateOutcome.EXISTS);
    assertExactlyOnce();
  }

  /** The restarted committer finds that its own past has published the checkpoint meanwhile. */
  @Test
  void aCommitterThatWakesRightBeforeTheRestartedOnePublishesInItsPlace(
      @InjectMiniCluster MiniCluster cluster) throws Exception {
    Attempts attempts = new Attempts();
    JobClient job = jobThatFreezes(attempts);
    store
        .on(Op.CREATE, LostTaskManagerITCase::isManifest4)
        .answer(
            request -> {
              if (!thaw.isDone()) {
                thaw.complete(null);
                late.join();
              }
              return request.proceed();
            });
    CompletableFuture<Void> lost = loseTheTaskManager(cluster);
    job.getJobExecutionResult().get();

    await().atMost(Duration.ofSeconds(30)).until(lost::isDone);
    assertThat(attempts.started()).isGreaterThan(1);
    assertThat(late.join()).isEqualTo(CreateOutcome.CREATED);
    assertExactlyOnce();
  }

  private static boolean isManifest4(String key) {
    return key.endsWith("/manifest/00000000000000000004.manifest");
  }
}
