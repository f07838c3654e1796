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

import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.Stores;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A store that throttles two uploads and two commits shows in the metrics of the sink. */
class ThrottledSinkITCase {

  private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      Cluster.create(REPORTER.addToConfiguration(new Configuration()));

  private final String name = UUID.randomUUID().toString();
  private final String address = "mem://" + name + "/stream";

  @BeforeEach
  void throttle() {
    TrainingStream.openOrCreate(
        Stores.open(address, Map.of()), StreamInfo.create(SinkJob.MESH, "raw"));
    FaultyStore store = MemoryStores.makeFaulty(name);
    store.on(Op.PUT, key -> key.contains("/data/")).times(2).answer(Answer.slowDown());
    // The first commit takes the producer over.
    store
        .on(Op.CREATE, key -> key.contains("/manifest/"))
        .after(1)
        .times(2)
        .answer(Answer.slowDown());
  }

  private JobClient run(DeliveryGuarantee guarantee, int writers) throws Exception {
    JobClient job =
        SinkJob.to(address)
            .parallelism(writers)
            .count(40)
            .perCheckpoint(10)
            .sink(SinkJob::batches)
            .sink(sink -> sink.deliveryGuarantee(guarantee))
            .start();
    job.getJobExecutionResult().get();
    assertThat(StreamContents.of(address).texts()).hasSize(40);
    return job;
  }

  @Test
  void theWriterCountsItsUploadsAndTheCommitterItsCommits() throws Exception {
    JobClient job = run(DeliveryGuarantee.EXACTLY_ONCE, 2);
    for (String part : new String[] {"Writer", "Committer"}) {
      assertThat(sum(job, part, "storeThrottles")).as(part).isEqualTo(2);
      assertThat(sum(job, part, "storeRequests")).as(part).isGreaterThan(2);
      assertThat(sum(job, part, "storeTransientFaults")).as(part).isZero();
      assertThat(sum(job, part, "storeGivenUp")).as(part).isZero();
    }
    assertThat(sum(job, "Writer", "storeRetries")).isEqualTo(2);
    assertThat(sum(job, "Committer", "commitRetries")).isEqualTo(2);
  }

  @Test
  void theWriterThatPublishesCountsBoth() throws Exception {
    // Another one could take the number of a throttled commit, which is then lost, not repeated.
    JobClient job = run(DeliveryGuarantee.AT_LEAST_ONCE, 1);
    assertThat(sum(job, "Writer", "storeThrottles")).isEqualTo(4);
    assertThat(sum(job, "Writer", "commitRetries")).isEqualTo(2);
  }

  private static long sum(JobClient job, String part, String name) {
    Map<String, Metric> found =
        REPORTER.findMetrics(job.getJobID(), "sink: " + part + ".*\\.lakestream\\." + name + "$");
    assertThat(found).as(part + " " + name).isNotEmpty();
    return found.values().stream().mapToLong(metric -> ((Gauge<Long>) metric).getValue()).sum();
  }
}
