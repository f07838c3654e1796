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

import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/** The metrics of the enumerator; what is not Flink's own is in the group {@code lakestream}. */
final class EnumeratorMetrics {

  private EnumeratorMetrics() {}

  /**
   * @param lag steps that are published and not known to be emitted
   * @param pending splits without a reader
   */
  static void register(
      SplitEnumeratorMetricGroup enumerator, Gauge<Long> lag, Gauge<Long> pending) {
    enumerator.setUnassignedSplitsGauge(pending);
    MetricGroup group = enumerator.addGroup("lakestream");
    group.gauge("lagSteps", lag);
  }
}
