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

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.PatientCluster;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SourceMetricsITCase {

  private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      PatientCluster.of(4, REPORTER.addToConfiguration(new Configuration()));

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  @Test
  void readersAndTheEnumeratorReportWhatTheyDo() throws Exception {
    TestStream stream = TestStream.inMemory(new Mesh(2, 2)).append(8);
    SourceJob job = SourceJob.of(stream).parallelism(2).start();
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
    assertThat(counters(id, "Source: source\\.[0-9]+\\.numRecordsInErrors$")).isZero();
    assertThat(gauges(id, "currentFetchEventTimeLag")).isPositive();
    assertThat(gauges(id, "sourceIdleTime")).isNotNegative();
  }

  private static long counters(JobID job, String pattern) {
    return REPORTER.findMetrics(job, pattern).values().stream()
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
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
