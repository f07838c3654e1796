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

import dev.lakestream.flink.RequestMetrics;
import dev.lakestream.flink.StreamLineage;
import dev.lakestream.flink.StreamTarget;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.BundleStager;
import dev.lakestream.producer.Producer;
import dev.lakestream.retention.LagGate;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessageTypeInfo;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.CheckpointConfig;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;

/**
 * Writes a training stream from Flink, exactly once.
 *
 * <pre>{@code
 * documents.sinkTo(
 *     LakestreamSink.<Document>builder()
 *         .path("s3://bucket/stream")
 *         .mesh(new Mesh(8, 2))
 *         .samples(document -> Sample.ofTokens(document.id(), document.tokens()))
 *         .assembler(Assembly.tokenPacking(8192, 4))
 *         .build());
 * }</pre>
 *
 * <p>Parallel writers stage bundles in the store; an aggregator of parallelism 1 makes one
 * committable of each checkpoint; one committer publishes it by one manifest, so that a checkpoint
 * becomes visible whole. docs/semantics.md says what holds when.
 *
 * <p>The sink goes into the job graph and holds nothing but its configuration.
 */
public final class LakestreamSink<IN>
    implements Sink<IN>,
        SupportsWriterState<IN, WriterState>,
        SupportsCommitter<CheckpointCommittable>,
        SupportsPreWriteTopology<IN>,
        SupportsPreCommitTopology<WrittenBundle, CheckpointCommittable>,
        LineageVertexProvider {

  private static final long serialVersionUID = 1L;

  /** Also its uid: it never changes. */
  private static final String AGGREGATOR = "Lakestream aggregator";

  private final SinkConfig config;
  private final Input<IN> input;
  private final boolean spread;

  /** Known when the job is put together; zero: no checkpoints. */
  private Duration checkpointInterval = Duration.ZERO;

  LakestreamSink(SinkConfig config, Input<IN> input, boolean spread) {
    this.config = config;
    this.input = input;
    this.spread = spread;
  }

  public static <IN> LakestreamSinkBuilder<IN> builder() {
    return new LakestreamSinkBuilder<>();
  }

  /** Under which this sink writes, unless it restores another; with at-least-once, a prefix. */
  public String producerId() {
    return config.ownProducerId();
  }

  @Override
  public DataStream<IN> addPreWriteTopology(DataStream<IN> elements) {
    CheckpointConfig checkpoints = elements.getExecutionEnvironment().getCheckpointConfig();
    checkpointInterval = Duration.ofMillis(Math.max(0, checkpoints.getCheckpointInterval()));
    return spread
        ? SeededSpread.over(elements, config.get(LakestreamSinkOptions.SHUFFLE_SEED))
        : elements;
  }

  @Override
  public StatefulSinkWriter<IN, WriterState> createWriter(WriterInitContext context) {
    return restoreWriter(context, List.of());
  }

  @Override
  public StatefulSinkWriter<IN, WriterState> restoreWriter(
      WriterInitContext context, Collection<WriterState> state) {
    StreamTarget.Connection connection =
        config.target().connect(RequestMetrics.register(context.metricGroup()));
    try {
      int subtask = context.getTaskInfo().getIndexOfThisSubtask();
      Optional<LagGate> gate =
          config.lag().map(settings -> new LagGate(connection.stream(), settings));
      Intake<IN> intake =
          input.open(
              config.target().mesh(),
              subtask,
              context.isObjectReuseEnabled(),
              config.bufferBytes());
      LakestreamWriter<IN> writer =
          new LakestreamWriter<>(
              config,
              subtask,
              connection,
              intake,
              outlet(context, connection, subtask),
              gate.map(lag -> pacer(lag, context)),
              context.metricGroup());
      writer.restore(state);
      return writer;
    } catch (RuntimeException e) {
      connection.close();
      throw Failures.forGood(e);
    }
  }

  private LagPacer pacer(LagGate gate, WriterInitContext context) {
    context.metricGroup().addGroup("lakestream").gauge("lagSteps", gate::lag);
    return new LagPacer(
        gate,
        config.owner(),
        context.getTaskInfo().getNumberOfParallelSubtasks(),
        checkpointInterval,
        context.getMailboxExecutor(),
        System::nanoTime);
  }

  private Outlet outlet(
      WriterInitContext context, StreamTarget.Connection connection, int subtask) {
    TrainingStream stream = connection.stream();
    if (config.exactlyOnce()) {
      BundleStager stager =
          new BundleStager(
              stream,
              config.staging(),
              config.owner(),
              subtask,
              context.getRestoredCheckpointId().orElse(0));
      return new StagingOutlet(stager, context.getMailboxExecutor());
    }
    connection.proveStore();
    Producer producer =
        Producer.builder(stream, config.ownProducerId() + "/" + subtask)
            .name(context.getJobInfo().getJobName())
            .subtask(subtask)
            .staging(config.staging())
            .commits(config.commits())
            .linger(config.get(LakestreamSinkOptions.LINGER))
            .build();
    CommitterMetrics.register(context.metricGroup(), producer.metrics());
    return new PublishingOutlet(producer, context.getMailboxExecutor(), String.valueOf(subtask));
  }

  @Override
  public SimpleVersionedSerializer<WriterState> getWriterStateSerializer() {
    return new WriterStateSerializer();
  }

  @Override
  public DataStream<CommittableMessage<CheckpointCommittable>> addPreCommitTopology(
      DataStream<CommittableMessage<WrittenBundle>> written) {
    if (config.exactlyOnce()) {
      SubmissionChecks.requireCheckpoints(written);
      if (config.lag().isPresent()) {
        SubmissionChecks.refuseMaxLagInBatchMode(written);
      }
    }
    return aggregate(written);
  }

  DataStream<CommittableMessage<CheckpointCommittable>> aggregate(
      DataStream<CommittableMessage<WrittenBundle>> written) {
    SingleOutputStreamOperator<CommittableMessage<CheckpointCommittable>> aggregated =
        written
            .global()
            .transform(
                AGGREGATOR,
                CommittableMessageTypeInfo.of(CheckpointCommittableSerializer::new),
                new CheckpointAggregator(config))
            .setParallelism(1)
            .setMaxParallelism(1);
    if (hasUid(written.getTransformation())) {
      aggregated.uid(AGGREGATOR);
    }
    return aggregated.global();
  }

  /**
   * Whether the user has given the sink a uid, which its writer then has. Flink puts that in front
   * of uids inside the sink, and refuses those when the sink has none. Without one of its own the
   * aggregator would lose its state whenever the job before the sink changes.
   */
  private static boolean hasUid(Transformation<?> written) {
    Transformation<?> writer = written;
    while (writer instanceof PartitionTransformation<?>) {
      writer = writer.getInputs().get(0);
    }
    return writer.getUid() != null;
  }

  @Override
  public SimpleVersionedSerializer<WrittenBundle> getWriteResultSerializer() {
    return new WrittenBundleSerializer();
  }

  @Override
  public Committer<CheckpointCommittable> createCommitter(CommitterInitContext context) {
    return new StreamCommitter(config, context);
  }

  @Override
  public SimpleVersionedSerializer<CheckpointCommittable> getCommittableSerializer() {
    return new CheckpointCommittableSerializer();
  }

  @Override
  public LineageVertex getLineageVertex() {
    return StreamLineage.vertex(config.target());
  }

  @Override
  public String toString() {
    return config.toString();
  }
}
