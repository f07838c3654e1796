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
package dev.lakestream.consumer;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** Where the time of a reader went. */
final class Waits {

  private final AtomicLongArray nanos = new AtomicLongArray(Stage.values().length);

  void add(Stage stage, long elapsed) {
    nanos.addAndGet(stage.ordinal(), elapsed);
  }

  Map<Stage, Duration> snapshot() {
    Map<Stage, Duration> all = new EnumMap<>(Stage.class);
    for (Stage stage : Stage.values()) {
      all.put(stage, Duration.ofNanos(nanos.get(stage.ordinal())));
    }
    return all;
  }
}
