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
package dev.lakestream.batch;

/**
 * The least and greatest event time of some records, in milliseconds since the epoch, both
 * inclusive.
 */
public record EventTimeRange(long min, long max) {

  public EventTimeRange {
    if (min > max) {
      throw new InvalidBatchException("An event-time range from " + min + " to " + max + ".");
    }
  }

  public static EventTimeRange at(long time) {
    return new EventTimeRange(time, time);
  }

  /** The range over both; null (unknown) if either is unknown. */
  public static EventTimeRange union(EventTimeRange a, EventTimeRange b) {
    return a == null || b == null
        ? null
        : new EventTimeRange(Math.min(a.min, b.min), Math.max(a.max, b.max));
  }
}
