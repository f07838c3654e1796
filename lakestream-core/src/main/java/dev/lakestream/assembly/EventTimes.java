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
package dev.lakestream.assembly;

import dev.lakestream.batch.EventTimeRange;
import java.util.List;
import java.util.OptionalLong;

/** The event times of the samples in a batch. */
final class EventTimes {

  private EventTimes() {}

  /** Over all of them; null (unknown) if one is unknown, or if there is none. */
  static EventTimeRange of(List<? extends Sample> samples) {
    EventTimeRange range = null;
    for (Sample sample : samples) {
      OptionalLong time = sample.eventTime();
      if (time.isEmpty()) {
        return null;
      }
      EventTimeRange at = EventTimeRange.at(time.getAsLong());
      range = range == null ? at : EventTimeRange.union(range, at);
    }
    return range;
  }
}
