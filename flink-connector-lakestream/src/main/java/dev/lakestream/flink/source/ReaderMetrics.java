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

import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/** What Flink's standard metrics of sources ask of a reader (FLIP-33). */
final class ReaderMetrics {

  private static final String FETCH_EVENT_TIME_LAG = "currentFetchEventTimeLag";

  private final Counter bytesIn;
  private final Counter errors;
  private final AtomicLong pendingRecords = new AtomicLong();
  private final AtomicLong pendingBytes = new AtomicLong();
  private volatile long fetchLag = -1;

  ReaderMetrics(SourceReaderMetricGroup group) {
    this.bytesIn = group.getIOMetricGroup().getNumBytesInCounter();
    this.errors = group.getNumRecordsInErrorsCounter();
    group.setPendingRecordsGauge(() -> Math.max(0, pendingRecords.get()));
    group.setPendingBytesGauge(() -> Math.max(0, pendingBytes.get()));
    group.gauge(FETCH_EVENT_TIME_LAG, () -> fetchLag);
  }

  Counter errors() {
    return errors;
  }

  /** A split came (or went, with negative numbers). */
  void assigned(long records, long bytes) {
    pendingRecords.addAndGet(records);
    pendingBytes.addAndGet(bytes);
  }

  void emitted() {
    pendingRecords.lazySet(pendingRecords.get() - 1);
  }

  void fetched(long bytes) {
    bytesIn.inc(bytes);
  }

  void fetchedEventTime(long timestamp) {
    if (timestamp != Long.MIN_VALUE) {
      fetchLag = System.currentTimeMillis() - timestamp;
    }
  }
}
