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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Counts how often a job was started. */
final class Attempts extends RichMapFunction<Long, Long> {

  private static final long serialVersionUID = 1L;
  private static final Map<String, AtomicInteger> STARTED = new ConcurrentHashMap<>();

  private final String name = "attempts-" + System.nanoTime();

  Attempts() {
    STARTED.put(name, new AtomicInteger());
  }

  /** By the first parallel instance. */
  int started() {
    return STARTED.get(name).get();
  }

  @Override
  public void open(OpenContext context) {
    if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
      STARTED.get(name).incrementAndGet();
    }
  }

  @Override
  public Long map(Long element) {
    return element;
  }
}
