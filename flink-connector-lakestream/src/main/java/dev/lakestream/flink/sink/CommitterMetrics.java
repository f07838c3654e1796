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

import dev.lakestream.commit.CommitMetrics;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** The metrics of a committer, in the group {@code lakestream} of its operator. */
final class CommitterMetrics {

  private CommitterMetrics() {}

  static void register(MetricGroup operator, CommitMetrics metrics) {
    MetricGroup group = operator.addGroup("lakestream");
    gauge(group, "commitAttempts", metrics::attempts);
    gauge(group, "commits", metrics::commits);
    gauge(group, "commitConflicts", metrics::conflicts);
    gauge(group, "commitRetries", metrics::retries);
    gauge(group, "commitUnknownOutcomes", metrics::unknownOutcomes);
    gauge(group, "commitGapMs", () -> metrics.gap().toMillis());
    gauge(group, "fragileWindowMs", () -> metrics.fragileWindow().toMillis());
    gauge(group, "manifestBytes", metrics::manifestBytes);
    gauge(group, "nextStep", metrics::nextStep);
    gauge(group, "timeSinceLastPublishMs", () -> sinceLastPublish(metrics));
  }

  /** -1 until something was published. */
  private static long sinceLastPublish(CommitMetrics metrics) {
    long last = metrics.lastPublishNanos();
    return last == Long.MIN_VALUE ? -1 : (System.nanoTime() - last) / 1_000_000;
  }

  private static void gauge(MetricGroup group, String name, Gauge<Long> gauge) {
    group.gauge(name, gauge);
  }
}
