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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.base.source.hybrid.HybridSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.awaitility.Awaitility;

/** A job that reads a stream of records and collects them; every test varies a part of it. */
final class SourceJob {

  private static final List<JobClient> STARTED = new ArrayList<>();

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final String id = UUID.randomUUID().toString();
  final Configuration configuration = new Configuration();
  private final String address;
  private int parallelism = 3;
  private UnaryOperator<LakestreamSourceBuilder<String>> source = builder -> builder;
  private UnaryOperator<DataStream<String>> middle = stream -> stream;
  private WatermarkStrategy<String> watermarks = WatermarkStrategy.noWatermarks();
  private SourceJob history;
  private JobClient client;
  private Results results;

  private SourceJob(String address) {
    this.address = address;
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 20);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
  }

  static SourceJob of(String address) {
    return new SourceJob(address);
  }

  static SourceJob of(TestStream stream) {
    return new SourceJob(stream.address());
  }

  SourceJob parallelism(int value) {
    parallelism = value;
    return this;
  }

  SourceJob source(UnaryOperator<LakestreamSourceBuilder<String>> value) {
    UnaryOperator<LakestreamSourceBuilder<String>> before = source;
    source = builder -> value.apply(before.apply(builder));
    return this;
  }

  /** Ends behind the newest step. */
  SourceJob bounded() {
    return source(builder -> builder.boundedBy(BoundedMode.latest()));
  }

  SourceJob order(ReadOrder value) {
    return source(builder -> builder.order(value));
  }

  SourceJob middle(UnaryOperator<DataStream<String>> value) {
    middle = value;
    return this;
  }

  SourceJob watermarks(WatermarkStrategy<String> value) {
    watermarks = value;
    return this;
  }

  /** Reads what another job would read, to its end, before its own. */
  SourceJob after(SourceJob value) {
    history = value;
    return this;
  }

  SourceJob batchMode() {
    configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.BATCH);
    return withoutCheckpoints();
  }

  SourceJob withoutCheckpoints() {
    configuration.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
    return this;
  }

  SourceJob checkpointInterval(Duration value) {
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, value);
    return this;
  }

  SourceJob from(String savepoint) {
    configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
    return this;
  }

  LakestreamSource<String> build() {
    return source
        .apply(
            LakestreamSource.<String>builder()
                .path(address)
                .deserializer(TextDeserializer.create())
                .discoveryInterval(Duration.ofMillis(20)))
        .build();
  }

  /** Ends what tests have started and left. */
  static void cancelAll() {
    for (JobClient client : STARTED) {
      if (!status(client).isTerminalState()) {
        client.cancel().join();
        Awaitility.await().until(() -> status(client).isTerminalState());
      }
    }
    STARTED.clear();
  }

  private static JobStatus status(JobClient client) {
    return client.getJobStatus().join();
  }

  SourceJob start() throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    environment.getConfig().setMaxParallelism(16);
    environment.getConfig().setAutoWatermarkInterval(10);
    results = new Results(id);
    records(environment).sinkTo(results).setParallelism(1);
    client = environment.executeAsync("source test");
    STARTED.add(client);
    var unused = client.getJobExecutionResult().whenComplete((ok, failed) -> results.ended());
    return this;
  }

  /** What the job fails with, and all causes, as text. */
  String failure() throws Exception {
    try {
      client.getJobExecutionResult().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return ExceptionUtils.stringifyException(e);
    }
    throw new AssertionError("The job finished.");
  }

  private DataStream<String> records(StreamExecutionEnvironment environment) {
    DataStream<String> records =
        environment.fromSource(whole(), watermarks, "source", Types.STRING).uid("source");
    return middle.apply(records.map(new CheckpointSeen(id)));
  }

  private Source<String, ?, ?> whole() {
    return history == null
        ? build()
        : HybridSource.builder(history.build()).addSource(build()).build();
  }

  /** The next results; fewer if the job ends before. */
  List<String> take(int count) throws Exception {
    return results.take(count, PATIENCE);
  }

  /** Everything, of a job that ends. */
  List<String> run() throws Exception {
    start();
    List<String> all = take(Integer.MAX_VALUE);
    client.getJobExecutionResult().get();
    return all;
  }

  JobClient client() {
    return client;
  }

  /** All tasks are at work when it is complete. */
  void awaitCheckpoint() {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> CheckpointSeen.by(id));
  }

  /** Its last results are still to be taken. */
  String stopWithSavepoint(String directory) throws Exception {
    awaitCheckpoint();
    return client.stopWithSavepoint(false, directory, SavepointFormatType.CANONICAL).get();
  }

  void cancel() throws Exception {
    client.cancel().get();
  }
}
