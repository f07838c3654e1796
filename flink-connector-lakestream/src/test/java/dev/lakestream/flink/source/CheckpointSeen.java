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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;

/** Tells a test that a job has completed a checkpoint, and so that all of its tasks are at work. */
final class CheckpointSeen implements MapFunction<String, String>, CheckpointListener {

  private static final long serialVersionUID = 1L;
  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  private final String job;

  CheckpointSeen(String job) {
    this.job = job;
  }

  static boolean by(String job) {
    return SEEN.contains(job);
  }

  @Override
  public String map(String record) {
    return record;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    SEEN.add(job);
  }
}
