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

import com.google.protobuf.ByteString;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class SinkMetricsITCase {

  private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      Cluster.create(REPORTER.addToConfiguration(new Configuration()));

  @TempDir Path directory;

  private final String name = "metrics-" + System.nanoTime();
  private final String address = "mem://" + name + "/stream";

  @AfterEach
  void removeStore() {
    MemoryStores.remove(name);
  }

  @Test
  void writersAndTheCommitterReportWhatTheyDid() throws Exception {
    String address = directory.resolve("stream").toUri().toString();
    JobClient job = SinkJob.to(address).count(40).perCheckpoint(10).sink(SinkJob::batches).start();
    job.getJobExecutionResult().get();

    assertThat(sum(job, "numRecordsSend")).isEqualTo(40);
    assertThat(sum(job, "numBytesSend"))
        .isEqualTo(
            StreamContents.of(address).bundles().stream()
                .mapToLong(bundle -> bundle.bundle().objectLength())
                .sum());
    assertThat(sum(job, "numRecordsSendErrors")).isZero();
    assertThat(gauge(job, "currentSendTime")).isNotNegative();
    long publications = StreamContents.of(address).publications();
    assertThat(gauge(job, "lakestream.commits")).isEqualTo(publications);
    assertThat(gauge(job, "lakestream.commitAttempts")).isGreaterThanOrEqualTo(publications);
    assertThat(gauge(job, "lakestream.commitConflicts")).isNotNegative();
    assertThat(gauge(job, "lakestream.commitRetries")).isNotNegative();
    assertThat(gauge(job, "lakestream.commitUnknownOutcomes")).isZero();
    assertThat(gauge(job, "lakestream.commitGapMs")).isNotNegative();
    assertThat(gauge(job, "lakestream.fragileWindowMs")).isNotNegative();
    assertThat(gauge(job, "lakestream.manifestBytes")).isPositive();
    assertThat(gauge(job, "lakestream.nextStep")).isEqualTo(40);
    assertThat(gauge(job, "lakestream.timeSinceLastPublishMs")).isNotNegative();
  }

  /** One manifest is another producer's, two creates are put off, one loses its reply. */
  @Test
  void whatTheCommitterMetIsCounted() throws Exception {
    long began = System.nanoTime();
    FaultyStore store = MemoryStores.makeFaulty(name);
    TrainingStream stream =
        TrainingStream.openOrCreate(
            Stores.open(address, Map.of()), StreamInfo.create(SinkJob.MESH, "raw"));
    Producer rival = Producer.builder(stream, "rival").storeProven().build(); // is manifest 1
    store.on(Op.PUT).answer(Answer.delay(Duration.ofMillis(5)));
    store
        .on(Op.CREATE, manifest(3))
        .times(1)
        .answer(
            request -> {
              rival.append(SinkJob.batch(1000L), ByteString.EMPTY);
              rival.flush();
              return request.proceed();
            });
    store.on(Op.CREATE, manifest(4)).times(2).answer(Answer.conflict());
    store.on(Op.CREATE, manifest(5)).times(1).answer(Answer.lostReply());

    JobClient job =
        SinkJob.to(address).count(60).perCheckpoint(10).restarts(0).sink(SinkJob::batches).start();
    job.getJobExecutionResult().get();
    rival.close();

    assertThat(gauge(job, "lakestream.commitConflicts")).isEqualTo(1);
    assertThat(gauge(job, "lakestream.commitRetries")).isEqualTo(2);
    assertThat(gauge(job, "lakestream.commitUnknownOutcomes")).isEqualTo(1);
    long commits = gauge(job, "lakestream.commits");
    assertThat(gauge(job, "lakestream.commitAttempts")).isEqualTo(commits + 3);
    assertThat(gauge(job, "lakestream.nextStep")).isEqualTo(61);
    assertThat(gauge(job, "currentSendTime")).isBetween(5L, sinceMillis(began));
    await().until(() -> gauge(job, "lakestream.timeSinceLastPublishMs") > 20);
    assertThat(gauge(job, "lakestream.timeSinceLastPublishMs")).isLessThan(sinceMillis(began));
  }

  /** A gap keeps the share of time that committing takes small, so it is some windows long. */
  @Test
  void theWindowAndTheGapOfASlowStoreAreShown() throws Exception {
    FaultyStore store = MemoryStores.makeFaulty(name);
    store
        .on(Op.CREATE, key -> key.contains("/manifest/"))
        .answer(Answer.delay(Duration.ofMillis(10)));
    JobClient job = SinkJob.to(address).count(40).perCheckpoint(10).sink(SinkJob::batches).start();
    job.getJobExecutionResult().get();

    long window = gauge(job, "lakestream.fragileWindowMs");
    assertThat(window).isGreaterThanOrEqualTo(10);
    assertThat(gauge(job, "lakestream.commitGapMs")).isGreaterThan(10);
  }

  @Test
  void eachWriterThatPublishesByItselfReportsAsACommitter() throws Exception {
    JobClient job =
        SinkJob.to(address)
            .count(40)
            .perCheckpoint(10)
            .sink(SinkJob::batches)
            .sink(sink -> sink.deliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE))
            .start();
    job.getJobExecutionResult().get();

    List<Long> commits = gauges(job, "sink: Writer.*lakestream\\.commits");
    assertThat(commits).hasSize(2).allMatch(count -> count > 0);
    assertThat(commits.stream().mapToLong(Long::longValue).sum())
        .as("publications, and a takeover by each")
        .isEqualTo(StreamContents.of(address).publications() + 2);
    assertThat(gauge(job, "sink: Writer.*lakestream\\.nextStep")).isEqualTo(40);
    await().until(() -> gauge(job, "sink: Writer.*timeSinceLastPublishMs") > 0);
  }

  @Test
  void aWriterThatIsHeldBackShowsHowFarConsumersAreBehind() throws Exception {
    JobClient job =
        SinkJob.to(address)
            .count(Long.MAX_VALUE)
            .checkpointInterval(Duration.ofMillis(200))
            .sink(SinkJob::batches)
            .sink(sink -> sink.maxLag(10))
            .start();
    Cluster.until(
        job,
        () -> gauges(job, "sink: Writer.*lakestream\\.lagSteps").stream().anyMatch(n -> n >= 8));
    Cluster.cancel(job);
  }

  private static Predicate<String> manifest(int version) {
    return key -> key.endsWith(String.format(Locale.ROOT, "/manifest/%020d.manifest", version));
  }

  private static long sinceMillis(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  private static long sum(JobClient job, String name) {
    return REPORTER
        .findMetrics(job.getJobID(), "sink: Writer\\." + name + "|" + "sink: Writer.*\\." + name)
        .values()
        .stream()
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  private static long gauge(JobClient job, String name) {
    List<Long> found = gauges(job, name);
    assertThat(found).as(name).isNotEmpty();
    return Collections.max(found);
  }

  private static List<Long> gauges(JobClient job, String name) {
    return REPORTER.findMetrics(job.getJobID(), name).values().stream()
        .map(metric -> ((Gauge<Long>) metric).getValue())
        .toList();
  }
}
