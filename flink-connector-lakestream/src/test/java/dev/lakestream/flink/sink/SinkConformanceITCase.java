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

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.store.MemoryStores;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.testframe.environment.MiniClusterTestEnvironment;
import org.apache.flink.connector.testframe.external.ExternalContextFactory;
import org.apache.flink.connector.testframe.external.ExternalSystemDataReader;
import org.apache.flink.connector.testframe.external.sink.DataStreamSinkV2ExternalContext;
import org.apache.flink.connector.testframe.external.sink.TestingSinkSettings;
import org.apache.flink.connector.testframe.junit.annotations.TestContext;
import org.apache.flink.connector.testframe.junit.annotations.TestEnv;
import org.apache.flink.connector.testframe.junit.annotations.TestSemantics;
import org.apache.flink.connector.testframe.testsuites.SinkTestSuiteBase;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Flink's own suite for sinks, under both guarantees. */
class SinkConformanceITCase extends SinkTestSuiteBase<String> {

  @TestSemantics
  CheckpointingMode[] semantics = {CheckpointingMode.EXACTLY_ONCE, CheckpointingMode.AT_LEAST_ONCE};

  @TestEnv MiniClusterTestEnvironment environment = new MiniClusterTestEnvironment();

  @TestContext
  ExternalContextFactory<DataStreamSinkV2ExternalContext<String>> context =
      test -> new StreamContext();

  /**
   * The sink without its check at submission: the suite's savepoint tests start their first job
   * without checkpoints, which the check refuses under exactly-once. They publish with a savepoint.
   */
  private record Unchecked(LakestreamSink<String> sink)
      implements Sink<String>,
          SupportsWriterState<String, WriterState>,
          SupportsCommitter<CheckpointCommittable>,
          SupportsPreCommitTopology<WrittenBundle, CheckpointCommittable> {

    @Override
    public DataStream<CommittableMessage<CheckpointCommittable>> addPreCommitTopology(
        DataStream<CommittableMessage<WrittenBundle>> written) {
      return sink.aggregate(written);
    }

    @Override
    public StatefulSinkWriter<String, WriterState> createWriter(WriterInitContext context) {
      return sink.createWriter(context);
    }

    @Override
    public StatefulSinkWriter<String, WriterState> restoreWriter(
        WriterInitContext context, Collection<WriterState> state) {
      return sink.restoreWriter(context, state);
    }

    @Override
    public SimpleVersionedSerializer<WriterState> getWriterStateSerializer() {
      return sink.getWriterStateSerializer();
    }

    @Override
    public SimpleVersionedSerializer<WrittenBundle> getWriteResultSerializer() {
      return sink.getWriteResultSerializer();
    }

    @Override
    public Committer<CheckpointCommittable> createCommitter(CommitterInitContext context) {
      return sink.createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<CheckpointCommittable> getCommittableSerializer() {
      return sink.getCommittableSerializer();
    }
  }

  private static final class StreamContext implements DataStreamSinkV2ExternalContext<String> {

    private static final Mesh MESH = new Mesh(1, 1);

    private final String name = "conformance-" + System.nanoTime();
    private final String address = "mem://" + name + "/stream";

    @Override
    @SuppressWarnings("deprecation") // the settings of the suite
    public Sink<String> createSink(TestingSinkSettings settings) {
      boolean exactly =
          settings.getCheckpointingMode()
              == org.apache.flink.streaming.api.CheckpointingMode.EXACTLY_ONCE;
      LakestreamSink<String> sink =
          LakestreamSink.<String>builder()
              .path(address)
              .mesh(MESH)
              .batches(
                  text ->
                      GlobalBatch.of(
                          MESH, List.of(Slice.of(text.getBytes(StandardCharsets.UTF_8), 1))))
              .deliveryGuarantee(
                  exactly ? DeliveryGuarantee.EXACTLY_ONCE : DeliveryGuarantee.AT_LEAST_ONCE)
              .linger(Duration.ofMillis(50))
              .build();
      return new Unchecked(sink);
    }

    @Override
    public ExternalSystemDataReader<String> createSinkDataReader(TestingSinkSettings settings) {
      return new NewSteps(address);
    }

    @Override
    public List<String> generateTestData(TestingSinkSettings settings, long seed) {
      Random random = new Random(seed);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        texts.add(i + "-" + Long.toHexString(random.nextLong()));
      }
      return texts;
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }

    @Override
    public List<URL> getConnectorJarPaths() {
      return List.of();
    }

    @Override
    public void close() {
      MemoryStores.remove(name);
    }
  }

  private static final class NewSteps implements ExternalSystemDataReader<String> {

    private final String address;
    private int next;

    NewSteps(String address) {
      this.address = address;
    }

    @Override
    public List<String> poll(Duration timeout) {
      List<String> texts = StreamContents.of(address).texts();
      List<String> fresh = texts.subList(Math.min(next, texts.size()), texts.size());
      next = texts.size();
      return fresh;
    }

    @Override
    public void close() {}
  }
}
