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
import static org.awaitility.Awaitility.await;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SourceMetricsITCase {

  private static final String ERRORS = "Source: source\\.[0-9]+\\.numRecordsInErrors$";

  private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(REPORTER.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(4)
              .build());

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  @Test
  void readersAndTheEnumeratorReportWhatTheyDo() throws Exception {
    TestStream stream = TestStream.inMemory(new Mesh(2, 2)).append(8);
    SourceJob job =
        SourceJob.of(stream)
            .parallelism(2)
            .watermarks(WatermarkStrategy.forMonotonousTimestamps())
            .start();
    job.take(8 * 12);
    JobID id = job.client().getJobID();

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(counters(id, "Source: source\\.[0-9]+\\.numRecordsIn$")).isEqualTo(96);
              assertThat(gauges(id, "pendingRecords")).isZero();
              assertThat(gauges(id, "pendingBytes")).isZero();
              assertThat(gauges(id, "lakestream.lagSteps")).isZero();
              assertThat(gauges(id, "unassignedSplits")).isZero();
            });
    long objects =
        stream.stream().history(stream.head()).bundles(0, 100).stream()
            .mapToLong(bundle -> bundle.bundle().objectLength() - 8)
            .sum();
    assertThat(counters(id, "Source: source\\.[0-9]+\\.numBytesIn$")).isEqualTo(objects);
    assertThat(counters(id, ERRORS)).isZero();
    assertThat(gauges(id, "currentFetchEventTimeLag")).isPositive();
    assertThat(gauges(id, "currentEmitEventTimeLag")).isPositive();
    assertThat(gauges(id, "watermarkLag")).isPositive();
    assertThat(gauges(id, "sourceIdleTime")).isNotNegative();
  }

  @Test
  void aSourceThatIsHeldBackReportsWhatWaits() throws Exception {
    TestStream stream = TestStream.inMemory(new Mesh(2, 2)).stepsPerBundle(1).append(40);
    Gate gate = Gate.after(5);
    SourceJob job =
        SourceJob.of(stream).parallelism(1).middle(records -> records.map(gate)).start();
    JobID id = job.client().getJobID();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              // The 6th record is at the gate, so its step is not emitted; 16 splits are taken.
              assertThat(gauges(id, "pendingRecords")).isBetween(12 - 6L, 16 * 12 - 5L);
              assertThat(gauges(id, "pendingBytes")).isPositive();
              assertThat(gauges(id, "unassignedSplits")).isBetween(24L, 39L);
              assertThat(gauges(id, "lakestream.lagSteps")).isEqualTo(40);
            });
    gate.open();
    assertThat(job.take(40 * 12)).containsExactlyInAnyOrderElementsOf(stream.records(0, 40));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              assertThat(gauges(id, "pendingRecords")).isZero();
              assertThat(gauges(id, "lakestream.lagSteps")).isZero();
            });
  }

  @Test
  void aSliceThatCannotBeDecodedIsCounted() throws Exception {
    Mesh mesh = new Mesh(1, 1);
    TestStream stream =
        TestStream.inMemory(mesh)
            .append(GlobalBatch.of(mesh, List.of(Slice.of(new byte[] {1, 2, 3}, 1))));
    SourceJob job = SourceJob.of(stream).bounded().parallelism(1);
    job.configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    assertThat(job.start().failure()).contains("slice");
    assertThat(counters(job.client().getJobID(), ERRORS)).isEqualTo(1);
  }

  @Test
  void requestsThatTheStoreThrottlesAreCounted() throws Exception {
    TestStream stream = TestStream.inMemory(new Mesh(2, 2)).append(8);
    FaultyStore store = MemoryStores.makeFaulty(stream.storeName());
    store.on(Op.READ, key -> key.contains("/data/")).times(2).answer(Answer.slowDown());
    store.on(Op.READ_SUFFIX, key -> key.contains("/manifest/")).times(2).answer(Answer.slowDown());
    SourceJob job = SourceJob.of(stream).parallelism(1).start();
    assertThat(job.take(8 * 12)).hasSize(8 * 12);
    for (String part : List.of("Source: source\\.0\\.", "coordinator\\.enumerator\\.")) {
      String requests = part + "lakestream\\.store";
      JobID id = job.client().getJobID();
      assertThat(gauges(id, requests + "Throttles")).as(part).isEqualTo(2);
      assertThat(gauges(id, requests + "Retries")).as(part).isEqualTo(2);
      assertThat(gauges(id, requests + "Requests")).as(part).isGreaterThan(2);
      assertThat(gauges(id, requests + "TransientFaults")).as(part).isZero();
      assertThat(gauges(id, requests + "GivenUp")).as(part).isZero();
    }
  }

  private static long counters(JobID job, String pattern) {
    Map<String, Metric> found = REPORTER.findMetrics(job, pattern);
    assertThat(found).as(pattern).isNotEmpty();
    return found.values().stream().mapToLong(metric -> ((Counter) metric).getCount()).sum();
  }

  private static long gauges(JobID job, String pattern) {
    Map<String, Metric> found = REPORTER.findMetrics(job, pattern);
    assertThat(found).as(pattern).isNotEmpty();
    return found.values().stream()
        .mapToLong(metric -> ((Number) ((Gauge<?>) metric).getValue()).longValue())
        .max()
        .orElseThrow();
  }
}
