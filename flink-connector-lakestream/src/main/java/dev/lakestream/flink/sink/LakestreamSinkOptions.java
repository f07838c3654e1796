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

import static org.apache.flink.configuration.ConfigOptions.key;

import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.batch.Compression;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.producer.StagingSettings;
import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.base.DeliveryGuarantee;

/** The options of the sink, with their defaults: the builder and SQL share them. */
public final class LakestreamSinkOptions {

  public static final ConfigOption<DeliveryGuarantee> DELIVERY_GUARANTEE =
      key("sink.delivery-guarantee")
          .enumType(DeliveryGuarantee.class)
          .defaultValue(DeliveryGuarantee.EXACTLY_ONCE)
          .withDescription(
              "'exactly-once': the batches of a checkpoint become visible together, when it is"
                  + " complete. 'at-least-once': every writer publishes by itself as soon as pacing"
                  + " allows, and repeats after a failure what followed the last checkpoint.");

  public static final ConfigOption<String> PRODUCER_ID =
      key("sink.producer-id")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Names the producer in the stream. Of all jobs that write under one id only the one"
                  + " that started last goes on; the others are fenced. Unset: an id of its own for"
                  + " each sink, which restored state carries on.");

  public static final ConfigOption<OnRewind> ON_REWIND =
      key("sink.on-rewind")
          .enumType(OnRewind.class)
          .defaultValue(OnRewind.FAIL)
          .withDescription(
              "When the job starts from a state that the stream has gone past: 'fail' stops it and"
                  + " names both, 'append' writes again, as new steps, what the stream holds"
                  + " already.");

  public static final ConfigOption<RemainderPolicy> REMAINDER =
      key("sink.remainder")
          .enumType(RemainderPolicy.class)
          .defaultValue(RemainderPolicy.EMIT)
          .withDescription(
              "What becomes of the samples of a writer that do not fill a batch when the input"
                  + " ends: 'emit' a partial batch, 'drop' them with a warning, or 'fail'.");

  public static final ConfigOption<Compression> COMPRESSION =
      key("sink.compression")
          .enumType(Compression.class)
          .defaultValue(StagingSettings.DEFAULT.compression())
          .withDescription("Of each slice by itself: 'none', 'zstd' or 'lz4'.");

  public static final ConfigOption<Integer> BUNDLE_MAX_STEPS =
      key("sink.bundle.max-steps")
          .intType()
          .defaultValue(StagingSettings.DEFAULT.maxSteps())
          .withDescription(
              "At most so many steps in one object. More make longer reads and fewer requests.");

  public static final ConfigOption<MemorySize> BUNDLE_TARGET_SIZE =
      key("sink.bundle.target-size")
          .memoryType()
          .defaultValue(new MemorySize(StagingSettings.DEFAULT.targetBytes()))
          .withDescription("An object is closed when it holds so much.");

  public static final ConfigOption<MemorySize> BUFFER_MEMORY =
      key("sink.buffer-memory")
          .memoryType()
          .defaultValue(new MemorySize(StagingSettings.DEFAULT.bufferBytes()))
          .withDescription(
              "What one writer holds at most: samples without a batch, the open object, and objects"
                  + " being uploaded. The writer back-pressures when it is used up. A single batch"
                  + " may exceed it alone.");

  public static final ConfigOption<Integer> UPLOAD_PARALLELISM =
      key("sink.upload-parallelism")
          .intType()
          .defaultValue(StagingSettings.DEFAULT.uploads())
          .withDescription("How many objects one writer uploads at once.");

  public static final ConfigOption<Pacing> COMMIT_PACING =
      key("sink.commit.pacing")
          .enumType(Pacing.class)
          .defaultValue(CommitSettings.DEFAULT.pacing())
          .withDescription("The policy for the gap between attempts to commit.");

  public static final ConfigOption<Duration> COMMIT_TIMEOUT =
      key("sink.commit.timeout")
          .durationType()
          .defaultValue(CommitSettings.DEFAULT.timeout())
          .withDescription(
              "For one commit with all its attempts. Then the job fails and, restarted, tries"
                  + " again.");

  public static final ConfigOption<Long> MAX_LAG =
      key("sink.max-lag")
          .longType()
          .noDefaultValue()
          .withDescription(
              "Set: the sink waits while the stream is so many steps ahead of the slowest group of"
                  + " consumers that records watermarks; what is written and not published yet"
                  + " counts. Checkpoints go on: with each, what was in the network buffers still"
                  + " passes (a few batches if checkpoints are unaligned). It must be more than the"
                  + " steps between two model checkpoints, times the checkpoints that are kept.");

  public static final ConfigOption<Duration> LINGER =
      key("sink.linger")
          .durationType()
          .defaultValue(Duration.ofSeconds(1))
          .withDescription(
              "With 'at-least-once': an object that is not full is published after this long.");

  public static final ConfigOption<Boolean> CREATE_STREAM =
      key("sink.create-stream")
          .booleanType()
          .defaultValue(true)
          .withDescription("Whether a stream that does not exist is created when the job starts.");

  public static final ConfigOption<Integer> SHUFFLE_BUFFER =
      key("sink.shuffle.buffer")
          .intType()
          .noDefaultValue()
          .withDescription(
              "Set: samples are spread over the writers by a seed and shuffled in a buffer of so"
                  + " many in each writer.");

  public static final ConfigOption<Long> SHUFFLE_SEED =
      key("sink.shuffle.seed").longType().defaultValue(0L).withDescription("Of the shuffle.");

  private LakestreamSinkOptions() {}

  /** All of them, in the order of the documentation. */
  public static List<ConfigOption<?>> all() {
    return List.of(
        DELIVERY_GUARANTEE,
        PRODUCER_ID,
        ON_REWIND,
        REMAINDER,
        COMPRESSION,
        BUNDLE_MAX_STEPS,
        BUNDLE_TARGET_SIZE,
        BUFFER_MEMORY,
        UPLOAD_PARALLELISM,
        COMMIT_PACING,
        COMMIT_TIMEOUT,
        MAX_LAG,
        LINGER,
        CREATE_STREAM,
        SHUFFLE_BUFFER,
        SHUFFLE_SEED);
  }
}
