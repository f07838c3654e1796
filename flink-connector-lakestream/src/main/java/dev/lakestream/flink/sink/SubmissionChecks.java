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

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.WithBoundedness;

/** What would lose data at run time is refused when the job is submitted. */
final class SubmissionChecks {

  private SubmissionChecks() {}

  /**
   * @throws IllegalStateException if the job could not publish exactly once what it reads
   */
  static void requireCheckpoints(DataStream<?> stream) {
    StreamExecutionEnvironment environment = stream.getExecutionEnvironment();
    ReadableConfig configuration = environment.getConfiguration();
    if (isBatch(configuration, stream.getTransformation())) {
      return;
    }
    if (!environment.getCheckpointConfig().isCheckpointingEnabled()) {
      throw new IllegalStateException(
          "sink.delivery-guarantee = exactly-once publishes with checkpoints, and checkpointing is"
              + " off. Set execution.checkpointing.interval, or run bounded input with"
              + " execution.runtime-mode = batch, or set sink.delivery-guarantee ="
              + " at-least-once.");
    }
    if (!configuration.get(CheckpointingOptions.ENABLE_CHECKPOINTS_AFTER_TASKS_FINISH)) {
      throw new IllegalStateException(
          "sink.delivery-guarantee = exactly-once publishes the end of its input with the last"
              + " checkpoint, and execution.checkpointing.checkpoints-after-tasks-finish is off."
              + " Switch it on, or set sink.delivery-guarantee = at-least-once.");
    }
  }

  /** There nothing is published before the input ends, so that waiting for room would not end. */
  static void refuseMaxLagInBatchMode(DataStream<?> stream) {
    if (isBatch(stream.getExecutionEnvironment().getConfiguration(), stream.getTransformation())) {
      throw new IllegalStateException(
          "sink.max-lag bounds how far the sink is ahead of its consumers, and in batch mode all"
              + " is published when the input ends. Remove sink.max-lag, or run the job with"
              + " execution.runtime-mode = streaming.");
    }
  }

  private static boolean isBatch(ReadableConfig configuration, Transformation<?> written) {
    RuntimeExecutionMode mode = configuration.get(ExecutionOptions.RUNTIME_MODE);
    return mode == RuntimeExecutionMode.BATCH
        || (mode == RuntimeExecutionMode.AUTOMATIC
            && written.getTransitivePredecessors().stream()
                .noneMatch(SubmissionChecks::isUnbounded));
  }

  private static boolean isUnbounded(Transformation<?> transformation) {
    return transformation instanceof WithBoundedness source
        && source.getBoundedness() != Boundedness.BOUNDED;
  }
}
