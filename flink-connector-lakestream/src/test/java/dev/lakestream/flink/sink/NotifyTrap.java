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

/**
 * Fails a job when it learns that a checkpoint is complete: the committer may have heard of it by
 * then, or not.
 */
final class NotifyTrap extends RichMapFunction<Long, Long> implements CheckpointListener {

  private static final long serialVersionUID = 1L;
  private static final Map<String, AtomicInteger> LEFT = new ConcurrentHashMap<>();

  private final String name = "notify-trap-" + System.nanoTime();

  NotifyTrap(int times) {
    LEFT.put(name, new AtomicInteger(times));
  }

  int left() {
    return LEFT.get(name).get();
  }

  @Override
  public Long map(Long element) {
    return element;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    if (checkpointId % 3 == 0 && LEFT.get(name).getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      throw new IllegalStateException("On purpose, at checkpoint " + checkpointId);
    }
  }
}
