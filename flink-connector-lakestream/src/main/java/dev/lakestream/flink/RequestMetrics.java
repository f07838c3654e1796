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
package dev.lakestream.flink;

import dev.lakestream.store.StoreMetrics;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** What the requests to the store of a stream met, in the group {@code lakestream} of a part. */
public final class RequestMetrics {

  private RequestMetrics() {}

  /**
   * To be counted by {@link StreamTarget#connect(StoreMetrics)}.
   *
   * @param part the group of a writer, reader, committer or enumerator
   */
  public static StoreMetrics register(MetricGroup part) {
    StoreMetrics metrics = new StoreMetrics();
    MetricGroup group = part.addGroup("lakestream");
    gauge(group, "storeRequests", metrics::attempts);
    gauge(group, "storeRetries", metrics::retries);
    gauge(group, "storeThrottles", metrics::throttles);
    gauge(group, "storeTransientFaults", metrics::transientFaults);
    gauge(group, "storeGivenUp", metrics::exhausted);
    return metrics;
  }

  private static void gauge(MetricGroup group, String name, Gauge<Long> gauge) {
    group.gauge(name, gauge);
  }
}
