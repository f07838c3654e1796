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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/**
 * Fails a job at a record, so many times, once a checkpoint has been completed in its task; shared
 * by all attempts in the JVM.
 */
final class Trap implements MapFunction<String, String>, CheckpointListener {

  private static final long serialVersionUID = 1L;
  private static final Map<String, AtomicInteger> LEFT = new ConcurrentHashMap<>();

  private final String name;
  private final int afterRecords;
  private int seen;
  private boolean checkpointed;

  private Trap(String name, int afterRecords) {
    this.name = name;
    this.afterRecords = afterRecords;
  }

  /** Fails after so many records of one task. */
  static Trap after(int records, int times) {
    String name = "trap-" + System.nanoTime();
    LEFT.put(name, new AtomicInteger(times));
    return new Trap(name, records);
  }

  /** How often it can still fail. */
  int left() {
    return LEFT.get(name).get();
  }

  @Override
  public String map(String record) throws Exception {
    seen++;
    if (seen >= afterRecords
        && checkpointed
        && LEFT.get(name).getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      throw new IllegalStateException("On purpose, at record " + record);
    }
    if (seen % 10 == 0) {
      Thread.sleep(1); // So that checkpoints fall between records.
    }
    return record;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    checkpointed = true;
  }
}
