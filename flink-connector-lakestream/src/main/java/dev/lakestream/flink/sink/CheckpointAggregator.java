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

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.Publisher;
import dev.lakestream.flink.StreamTarget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableSummary;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Makes one committable of all bundles of a checkpoint, and keeps the producer's identity in its
 * state. Parallelism 1.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Barriers are aligned on the exchange behind the writers (Flink turns unaligned checkpoints
 *       off there), so what has arrived when this operator's barrier does belongs to the
 *       checkpoint. The writers' own checkpoint ids are not looked at: writers that ended early, or
 *       that skipped the barrier of an aborted checkpoint, number their output differently.
 *   <li>A checkpoint that is aborted after its flush stays with the committer, which publishes it
 *       with the next complete one. If the job restarts first, state forgets it, and the source
 *       sends its elements again.
 *   <li>After the end of the input a last checkpoint (streaming) or the end of the job (batch)
 *       commits what {@link #finish} emits.
 * </ul>
 */
final class CheckpointAggregator
    extends AbstractStreamOperator<CommittableMessage<CheckpointCommittable>>
    implements OneInputStreamOperator<
        CommittableMessage<WrittenBundle>, CommittableMessage<CheckpointCommittable>> {

  private static final long serialVersionUID = 1L;

  private static final ListStateDescriptor<byte[]> PRODUCER =
      new ListStateDescriptor<>("lakestream-producer", BytePrimitiveArraySerializer.INSTANCE);

  private final SinkConfig config;

  private transient ProducerStateSerializer serializer;
  private transient ListState<byte[]> state;
  private transient Optional<ProducerState> producer;
  private transient List<WrittenBundle> arrived;
  private transient long lastCheckpointId;

  CheckpointAggregator(SinkConfig config) {
    this.config = config;
  }

  @Override
  public void initializeState(StateInitializationContext context) throws Exception {
    super.initializeState(context);
    serializer = new ProducerStateSerializer();
    arrived = new ArrayList<>();
    lastCheckpointId = context.getRestoredCheckpointId().orElse(0);
    state = context.getOperatorStateStore().getListState(PRODUCER);
    Iterator<byte[]> restored = state.get().iterator();
    producer =
        restored.hasNext()
            ? Optional.of(
                SimpleVersionedSerialization.readVersionAndDeSerialize(serializer, restored.next()))
            : Optional.empty();
    if (config.exactlyOnce()) {
      takeOver(context);
    }
  }

  private void takeOver(StateInitializationContext context) {
    boolean batch = getContainingTask().getEnvironment().getJobType() == JobType.BATCH;
    String jobName = getRuntimeContext().getJobInfo().getJobName();
    try (StreamTarget.Connection connection = config.target().connect()) {
      connection.proveStore();
      Publisher publisher =
          new Publisher(
              connection.stream(), config.commits(), new SplittableRandom(), new CommitMetrics());
      producer =
          Optional.of(
              new Takeover(config, jobName, connection.stream())
                  .start(publisher, producer, context.getRestoredCheckpointId(), batch));
    } catch (RuntimeException e) {
      throw Failures.forGood(e);
    }
  }

  @Override
  public void processElement(StreamRecord<CommittableMessage<WrittenBundle>> element) {
    if (element.getValue() instanceof CommittableWithLineage<WrittenBundle> message) {
      arrived.add(message.getCommittable());
    }
  }

  @Override
  public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
    super.prepareSnapshotPreBarrier(checkpointId);
    flush(checkpointId);
  }

  @Override
  public void finish() throws Exception {
    flush(lastCheckpointId + 1);
    super.finish();
  }

  @Override
  public void snapshotState(StateSnapshotContext context) throws Exception {
    super.snapshotState(context);
    state.clear();
    if (producer.isPresent()) {
      state.add(SimpleVersionedSerialization.writeVersionAndSerialize(serializer, producer.get()));
    }
  }

  private void flush(long checkpointId) {
    lastCheckpointId = Math.max(lastCheckpointId, checkpointId);
    if (arrived.isEmpty()) {
      return;
    }
    arrived.sort(
        Comparator.comparingInt(WrittenBundle::subtask).thenComparingLong(WrittenBundle::order));
    List<StagedBundle> bundles = arrived.stream().map(WrittenBundle::bundle).toList();
    arrived.clear();
    emit(summaryOfOne(checkpointId));
    emit(
        new CommittableWithLineage<>(
            new CheckpointCommittable(producer.orElseThrow(), checkpointId, bundles),
            checkpointId,
            0));
  }

  /** The constructor that Flink 1.20 and 2.x have in common. */
  @SuppressWarnings("deprecation")
  private static CommittableSummary<CheckpointCommittable> summaryOfOne(long checkpointId) {
    return new CommittableSummary<>(0, 1, checkpointId, 1, 1, 0);
  }

  private void emit(CommittableMessage<CheckpointCommittable> message) {
    output.collect(new StreamRecord<>(message));
  }
}
