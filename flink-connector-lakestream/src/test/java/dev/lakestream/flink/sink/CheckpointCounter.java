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
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/** Counts complete checkpoints. */
final class CheckpointCounter extends RichMapFunction<Long, Long> implements CheckpointListener {

  private static final long serialVersionUID = 1L;
  private static final Map<String, AtomicInteger> COMPLETE = new ConcurrentHashMap<>();

  private final String name = "checkpoints-" + System.nanoTime();

  CheckpointCounter() {
    COMPLETE.put(name, new AtomicInteger());
  }

  int complete() {
    return COMPLETE.get(name).get();
  }

  @Override
  public Long map(Long element) {
    return element;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    if (getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0) {
      COMPLETE.get(name).incrementAndGet();
    }
  }
}
