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
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.HashSet;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AtLeastOnceITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  private String name;
  private String address;
  private FaultyStore store;

  @BeforeEach
  void newStore() {
    name = "at-least-once-" + System.nanoTime();
    address = "mem://" + name + "/stream";
    store = MemoryStores.makeFaulty(name);
  }

  @AfterEach
  void removeStore() {
    MemoryStores.remove(name);
  }

  private SinkJob job() {
    return SinkJob.to(address)
        .count(80)
        .perCheckpoint(10)
        .sink(SinkJob::batches)
        .sink(sink -> sink.deliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE));
  }

  @Test
  void withoutAFailureEveryElementArrivesOnce() throws Exception {
    job().run();

    assertThat(StreamContents.of(address).texts())
        .containsExactlyInAnyOrderElementsOf(SinkJob.numbers(80));
  }

  @Test
  void nothingIsLostWhenTheJobFails() throws Exception {
    Trap trap = Trap.at(50, 2);

    job().middle(numbers -> numbers.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertThat(new HashSet<>(StreamContents.of(address).texts()))
        .isEqualTo(new HashSet<>(SinkJob.numbers(80)));
  }

  @Test
  void nothingIsLostWhenACommitFails() throws Exception {
    store
        .on(Op.CREATE, key -> key.contains("/manifest/"))
        .after(8)
        .times(2)
        .answer(Answer.denied());

    job().run();

    assertThat(new HashSet<>(StreamContents.of(address).texts()))
        .isEqualTo(new HashSet<>(SinkJob.numbers(80)));
  }

  @Test
  void writersPublishWithoutWaitingForACheckpoint() throws Exception {
    JobClient job =
        job()
            .count(Long.MAX_VALUE)
            .perCheckpoint(20)
            .checkpointInterval(Duration.ofMinutes(10))
            .sink(sink -> sink.linger(Duration.ofMillis(50)))
            .start();

    Cluster.until(job, () -> StreamContents.stepsOf(address) == 20);
    Cluster.cancel(job);
    assertThat(StreamContents.of(address).newest().producers()).hasSize(2);
  }

  @Test
  void samplesOfAPartialBatchAreInStateAndNotLost() throws Exception {
    Trap trap = Trap.at(50, 1);

    SinkJob.to(address)
        .count(83)
        .perCheckpoint(10)
        .middle(numbers -> numbers.map(trap))
        .sink(SinkJob.samples(3))
        .sink(sink -> sink.deliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE))
        .run();

    assertThat(trap.left()).isZero();
    assertThat(new HashSet<>(StreamContents.of(address).records()))
        .isEqualTo(new HashSet<>(SinkJob.numbers(83)));
  }

  @Test
  void ofTwoJobsUnderOneProducerIdTheOlderIsFenced() throws Exception {
    JobClient older =
        job()
            .name("older")
            .count(Long.MAX_VALUE)
            .restarts(1000)
            .sink(sink -> sink.producerId("shared"))
            .start();
    Cluster.until(older, () -> StreamContents.stepsOf(address) >= 20);
    JobClient newer =
        job().name("newer").count(Long.MAX_VALUE).sink(sink -> sink.producerId("shared")).start();

    assertThat(Cluster.failure(older)).contains("FencedException", "job \"newer\"");
    long then = StreamContents.stepsOf(address);
    Cluster.until(newer, () -> StreamContents.stepsOf(address) > then + 20);
    Cluster.cancel(newer);
  }
}
