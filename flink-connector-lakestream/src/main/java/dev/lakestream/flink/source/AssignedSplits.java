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

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** What readers have, as far as they have not said that they are done. */
final class AssignedSplits {

  /** By reader and split: the first step that the split had to emit when it was assigned. */
  private final Map<Integer, Map<String, Long>> steps = new HashMap<>();

  void add(int subtask, BundleSplit split) {
    steps
        .computeIfAbsent(subtask, unused -> new HashMap<>())
        .put(split.splitId(), split.nextStep());
  }

  /** Also of splits that were not assigned here: a reader of a hybrid source restores its own. */
  void finished(int subtask, Collection<String> splitIds) {
    Map<String, Long> ofReader = steps.get(subtask);
    if (ofReader != null) {
      splitIds.forEach(ofReader::remove);
    }
  }

  /** The reader has failed: it comes back with none of them. */
  void forget(int subtask) {
    steps.remove(subtask);
  }

  /** The least step in any of them; {@code otherwise} if all of them are higher. */
  long oldestStep(long otherwise) {
    return steps.values().stream()
        .flatMap(ofReader -> ofReader.values().stream())
        .mapToLong(Long::longValue)
        .reduce(otherwise, Math::min);
  }
}
