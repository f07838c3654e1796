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

import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class SinkMetricsITCase {

  private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      Cluster.create(REPORTER.addToConfiguration(new Configuration()));

  @TempDir Path directory;

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

  private static long sum(JobClient job, String name) {
    return REPORTER
        .findMetrics(job.getJobID(), "sink: Writer\\." + name + "|" + "sink: Writer.*\\." + name)
        .values()
        .stream()
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  private static long gauge(JobClient job, String name) {
    Map<String, Metric> found = REPORTER.findMetrics(job.getJobID(), name);
    assertThat(found).as(name).isNotEmpty();
    return found.values().stream()
        .mapToLong(metric -> ((Gauge<Long>) metric).getValue())
        .max()
        .orElseThrow();
  }
}
