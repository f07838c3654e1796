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

import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A job that writes the numbers 0, 1, 2, … through the sink; every test varies a part of it. */
final class SinkJob {

  static final Mesh MESH = new Mesh(2, 1);

  final Configuration configuration = new Configuration();
  private final String address;
  private long count = 100;
  private double perCheckpoint;
  private int parallelism = 2;
  private boolean objectReuse;
  private boolean chained;
  private String name = "numbers";
  private UnaryOperator<DataStream<Long>> middle = stream -> stream;
  private UnaryOperator<LakestreamSinkBuilder<Long>> sink = builder -> builder;

  private SinkJob(String address) {
    this.address = address;
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 5);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
  }

  static SinkJob to(String address) {
    return new SinkJob(address);
  }

  SinkJob count(long value) {
    count = value;
    return this;
  }

  /** Elements between two checkpoints. */
  SinkJob perCheckpoint(double value) {
    perCheckpoint = value;
    return this;
  }

  SinkJob parallelism(int value) {
    parallelism = value;
    return this;
  }

  SinkJob objectReuse() {
    objectReuse = true;
    return this;
  }

  /** Elements come to the writer, of parallelism 1, without crossing the network. */
  SinkJob chained() {
    chained = true;
    return parallelism(1);
  }

  SinkJob restarts(int value) {
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, value);
    return this;
  }

  SinkJob name(String value) {
    name = value;
    return this;
  }

  SinkJob batchMode() {
    configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
    return this;
  }

  SinkJob checkpointInterval(Duration value) {
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, value);
    return this;
  }

  SinkJob noCheckpoints() {
    configuration.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
    return this;
  }

  SinkJob savepointsIn(String directory) {
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory);
    return this;
  }

  SinkJob from(String savepoint) {
    configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    return this;
  }

  /** Between the source and the sink. */
  SinkJob middle(UnaryOperator<DataStream<Long>> value) {
    middle = value;
    return this;
  }

  SinkJob sink(UnaryOperator<LakestreamSinkBuilder<Long>> value) {
    UnaryOperator<LakestreamSinkBuilder<Long>> before = sink;
    sink = builder -> value.apply(before.apply(builder));
    return this;
  }

  JobClient start() throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    environment.getConfig().setMaxParallelism(16);
    if (objectReuse) {
      environment.getConfig().enableObjectReuse();
    }
    DataGeneratorSource<Long> numbers =
        perCheckpoint == 0
            ? new DataGeneratorSource<>(i -> i, count, Types.LONG)
            : new DataGeneratorSource<>(
                i -> i, count, RateLimiterStrategy.perCheckpoint((int) perCheckpoint), Types.LONG);
    DataStream<Long> elements =
        environment
            .fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers")
            .setParallelism(1)
            .uid("numbers");
    DataStream<Long> input = middle.apply(elements);
    (chained ? input : input.rebalance())
        .sinkTo(
            sink.apply(LakestreamSink.<Long>builder().path(address).mesh(MESH).bundleMaxSteps(4))
                .build())
        .uid("sink")
        .name("sink");
    return environment.executeAsync(name);
  }

  void run() throws Exception {
    start().getJobExecutionResult().get();
  }

  /** Each element is one batch. */
  static LakestreamSinkBuilder<Long> batches(LakestreamSinkBuilder<Long> sink) {
    return sink.batches(SinkJob::batch);
  }

  /** The number as text in slice (0, 0), and an empty slice. */
  static GlobalBatch batch(Long number) {
    return GlobalBatch.of(
        MESH,
        List.of(
            Slice.of(number.toString().getBytes(StandardCharsets.UTF_8), 1),
            Slice.of(new byte[0], 0)));
  }

  /** Each element is a sample; {@code perSlice} of them make a slice. */
  static UnaryOperator<LakestreamSinkBuilder<Long>> samples(int perSlice) {
    return sink ->
        sink.samples(
                number ->
                    Sample.ofBytes(
                        number,
                        ByteBuffer.wrap(number.toString().getBytes(StandardCharsets.UTF_8))))
            .assembler(Assembly.byCount(perSlice));
  }

  /**
   * Each element is a document of 1 to 7 tokens, none of which is in another one, and none is 0.
   */
  static UnaryOperator<LakestreamSinkBuilder<Long>> documents(Assembly assembly) {
    return sink ->
        sink.samples(number -> Sample.ofTokens(number, tokens(number).toArray()))
            .assembler(assembly);
  }

  static IntStream tokens(long number) {
    int first = (int) (1 + 7 * number);
    return IntStream.rangeClosed(first, first + (int) (number % 7));
  }

  static List<String> numbers(long count) {
    return LongStream.range(0, count).mapToObj(Long::toString).toList();
  }
}
