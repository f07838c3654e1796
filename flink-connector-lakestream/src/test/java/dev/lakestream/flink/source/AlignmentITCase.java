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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two sources in one group of aligned watermarks. */
@Timeout(180)
class AlignmentITCase {

  private static final int STEPS = 5_000;

  /** Far more than pass between two checkpoints of a source that is not held back. */
  private static final int QUIET_CHECKPOINTS = 8;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(4)
              .build());

  private final TestStream ahead = stream();
  private final TestStream behind = stream();

  private static TestStream stream() {
    return TestStream.inMemory(new Mesh(1, 1)).recordsPerSlice(1).stepsPerBundle(100);
  }

  /** Counts records by stream, and the checkpoints since the last one. */
  private static final class Counted implements MapFunction<String, String>, CheckpointListener {

    private static final long serialVersionUID = 1L;
    private static final Map<String, AtomicInteger> RECORDS = new ConcurrentHashMap<>();
    private static final Map<String, AtomicInteger> QUIET = new ConcurrentHashMap<>();

    private final String stream;

    Counted(TestStream stream) {
      this.stream = stream.address();
      RECORDS.put(this.stream, new AtomicInteger());
      QUIET.put(this.stream, new AtomicInteger());
    }

    static int records(TestStream stream) {
      return RECORDS.get(stream.address()).get();
    }

    static int quietCheckpoints(TestStream stream) {
      return QUIET.get(stream.address()).get();
    }

    @Override
    public String map(String record) {
      RECORDS.get(stream).incrementAndGet();
      QUIET.get(stream).set(0);
      return record;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
      QUIET.get(stream).incrementAndGet();
    }
  }

  /**
   * @param name another one for each: by it Flink tells sources of a group apart
   */
  private static DataStream<String> read(
      StreamExecutionEnvironment environment, TestStream stream, String name) {
    LakestreamSource<String> source =
        LakestreamSource.<String>builder()
            .path(stream.address())
            .deserializer(TextDeserializer.create())
            .discoveryInterval(Duration.ofMillis(20))
            .order(ReadOrder.GLOBAL) // whose reader is never idle, so that it holds others back
            .build();
    WatermarkStrategy<String> aligned =
        WatermarkStrategy.<String>forMonotonousTimestamps()
            .withWatermarkAlignment("group", Duration.ofSeconds(5), Duration.ofMillis(20));
    return environment.fromSource(source, aligned, name);
  }

  private void until(java.util.function.BooleanSupplier condition) {
    Awaitility.await().atMost(Duration.ofSeconds(90)).until(condition::getAsBoolean);
  }

  @Test
  void aSourceThatIsAheadWaitsForTheOther() throws Exception {
    behind.stepsPerBundle(1).append(3);
    ahead.append(STEPS);
    Configuration configuration = new Configuration();
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(1);
    environment.getConfig().setAutoWatermarkInterval(10);
    read(environment, behind, "behind").map(new Counted(behind)).sinkTo(new DiscardingSink<>());
    read(environment, ahead, "ahead")
        .map(new Slow(1))
        .map(new Counted(ahead))
        .sinkTo(new DiscardingSink<>());
    JobClient job = environment.executeAsync("alignment");
    try {
      until(() -> Counted.quietCheckpoints(ahead) >= QUIET_CHECKPOINTS);
      assertThat(Counted.records(behind)).isEqualTo(3);
      // The other stands at 2 s, and 5 s more are allowed: steps 0 to 6 at least.
      assertThat(Counted.records(ahead)).isBetween(7, STEPS - 1);

      behind.stepsPerBundle(100).append(STEPS);
      until(() -> Counted.records(ahead) == STEPS);
    } finally {
      job.cancel().get();
    }
  }
}
