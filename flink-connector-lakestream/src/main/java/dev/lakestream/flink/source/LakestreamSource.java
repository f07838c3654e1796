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

import dev.lakestream.flink.RequestMetrics;
import dev.lakestream.flink.StreamLineage;
import dev.lakestream.flink.StreamTarget;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.DynamicParallelismInference;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SupportsSplitReassignmentOnRecovery;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.lineage.LineageDataset;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.flink.streaming.api.lineage.SourceLineageVertex;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * Reads a training stream in Flink.
 *
 * <pre>{@code
 * environment.fromSource(
 *     LakestreamSource.<SliceRecord>builder()
 *         .path("s3://bucket/stream")
 *         .deserializer(SliceDeserializer.slices())
 *         .startingAt(StartupMode.step(81_200))
 *         .boundedBy(BoundedMode.step(81_300))
 *         .build(),
 *     WatermarkStrategy.noWatermarks(),
 *     "replay");
 * }</pre>
 *
 * <p>Each record is emitted once: a checkpoint holds the position inside each slice. docs/source.md
 * says what is promised of order, time and recovery.
 *
 * <p>The source goes into the job graph and holds nothing but its configuration.
 */
public final class LakestreamSource<OUT>
    implements Source<OUT, BundleSplit, EnumeratorState>,
        ResultTypeQueryable<OUT>,
        DynamicParallelismInference,
        SupportsSplitReassignmentOnRecovery,
        LineageVertexProvider {

  private static final long serialVersionUID = 1L;

  private final SourceConfig config;
  private final SliceDeserializer<OUT> deserializer;

  LakestreamSource(SourceConfig config, SliceDeserializer<OUT> deserializer) {
    this.config = config;
    this.deserializer = deserializer;
  }

  public static <OUT> LakestreamSourceBuilder<OUT> builder() {
    return new LakestreamSourceBuilder<>();
  }

  @Override
  public Boundedness getBoundedness() {
    return config.bound().bounded() ? Boundedness.BOUNDED : Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SplitEnumerator<BundleSplit, EnumeratorState> createEnumerator(
      SplitEnumeratorContext<BundleSplit> context) {
    return new LakestreamEnumerator(context, config, Optional.empty());
  }

  @Override
  public SplitEnumerator<BundleSplit, EnumeratorState> restoreEnumerator(
      SplitEnumeratorContext<BundleSplit> context, EnumeratorState state) {
    return new LakestreamEnumerator(context, config, Optional.of(state));
  }

  @Override
  public SourceReader<OUT, BundleSplit> createReader(SourceReaderContext context) throws Exception {
    StreamTarget.Connection connection =
        config.target().connect(RequestMetrics.register(context.metricGroup()));
    try {
      deserializer.open(new Opening(context));
      return LakestreamSourceReader.create(connection, config, deserializer, context);
    } catch (Exception e) {
      connection.close();
      throw e;
    }
  }

  private record Opening(SourceReaderContext context)
      implements DeserializationSchema.InitializationContext {

    @Override
    public MetricGroup getMetricGroup() {
      return context.metricGroup().addGroup("deserializer");
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return context.getUserCodeClassLoader();
    }
  }

  @Override
  public SimpleVersionedSerializer<BundleSplit> getSplitSerializer() {
    return new BundleSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<EnumeratorState> getEnumeratorCheckpointSerializer() {
    return new EnumeratorStateSerializer();
  }

  @Override
  public TypeInformation<OUT> getProducedType() {
    return deserializer.getProducedType();
  }

  /** No more readers than there are splits; one where all is read by one. */
  @Override
  public int inferParallelism(Context context) {
    try (StreamTarget.Connection connection = config.target().connect()) {
      int limit = context.getParallelismInferenceUpperBound();
      return ParallelismInference.infer(new Discovery(connection.stream(), config), config, limit);
    }
  }

  @Override
  public LineageVertex getLineageVertex() {
    return new Vertex(StreamLineage.vertex(config.target()).datasets(), getBoundedness());
  }

  private record Vertex(List<LineageDataset> datasets, Boundedness boundedness)
      implements SourceLineageVertex {}

  @Override
  public String toString() {
    return config.toString();
  }
}
