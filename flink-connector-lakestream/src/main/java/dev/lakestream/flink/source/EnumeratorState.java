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

import java.util.List;
import java.util.OptionalLong;

/**
 * What the enumerator keeps: a position and a window, never the whole list.
 *
 * @param position behind all discovered steps
 * @param bound the end as the options stated it, to see whether it was changed
 * @param end the first step that is not read, once that is settled
 * @param pending discovered, and with no reader
 */
public record EnumeratorState(
    StreamPosition position, BoundedMode bound, OptionalLong end, List<BundleSplit> pending) {

  public EnumeratorState {
    pending = List.copyOf(pending);
  }
}
