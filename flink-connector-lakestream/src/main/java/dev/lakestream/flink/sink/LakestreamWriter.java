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
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.flink.StreamTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.metrics.Counter;

/**
 * One of the parallel writers: makes batches of elements and stages them. A bundle never spans a
 * checkpoint; samples without a batch go into state.
 *
 * <p>Assumption: what was uploaded and is not committed, after a failure, is garbage that its name
 * tells; the elements come again from the restored checkpoint.
 */
final class LakestreamWriter<IN>
    implements StatefulSinkWriter<IN, WriterState>, CommittingSinkWriter<IN, WrittenBundle> {

  /** One element of state holds about so much: small enough to be spread when rescaling. */
  private static final long STATE_CHUNK_BYTES = 1 << 20;

  private final SinkConfig config;
  private final int subtask;
  private final StreamTarget.Connection connection;
  private final Intake<IN> intake;
  private final Outlet outlet;
  private final Optional<LagPacer> pacer;
  private final Counter recordsSent;
  private final Counter bytesSent;
  private final Counter errors;
  private final List<WrittenBundle> written = new ArrayList<>();
  private long order;

  LakestreamWriter(
      SinkConfig config,
      int subtask,
      StreamTarget.Connection connection,
      Intake<IN> intake,
      Outlet outlet,
      Optional<LagPacer> pacer,
      org.apache.flink.metrics.groups.SinkWriterMetricGroup metrics) {
    this.config = config;
    this.subtask = subtask;
    this.connection = connection;
    this.intake = intake;
    this.outlet = outlet;
    this.pacer = pacer;
    this.recordsSent = metrics.getNumRecordsSendCounter();
    this.bytesSent = metrics.getNumBytesSendCounter();
    this.errors = metrics.getNumRecordsSendErrorsCounter();
    metrics.setCurrentSendTimeGauge(outlet::sendTimeMillis);
  }

  /**
   * Takes back what waited for its batch; the batches that it completes go out with the next call.
   */
  void restore(Collection<WriterState> states) {
    for (WriterState state : states) {
      if (!state.streamId().equals(connection.stream().id())) {
        throw Failures.forGood(
            new StateMismatchException(
                "The restored state of a writer belongs to stream "
                    + state.streamId()
                    + ", and the sink writes to "
                    + connection.stream()
                    + ". Write to the stream that the state belongs to, or start without it."));
      }
      intake.restore(state.samples());
    }
  }

  @Override
  public void write(IN element, Context context) throws IOException, InterruptedException {
    try {
      if (element == null) {
        throw new InvalidBatchException(
            "An element is null. Filter null elements out before the sink.");
      }
      intake.accept(element, context.timestamp());
      pump();
    } catch (IOException | InterruptedException e) {
      errors.inc();
      throw e;
    } catch (RuntimeException e) {
      errors.inc();
      throw Failures.forGood(e);
    } catch (Exception e) {
      errors.inc();
      throw new IOException("The mapper of the sink failed: " + e, e);
    }
  }

  /** Moves complete batches on. */
  private void pump() throws InterruptedException {
    Optional<GlobalBatch> batch = intake.poll();
    while (batch.isPresent()) {
      if (pacer.isPresent()) {
        pacer.get().beforeBatch(outlet);
      }
      send(batch.get());
      batch = intake.poll();
    }
  }

  private void send(GlobalBatch batch) throws InterruptedException {
    outlet.add(batch, intake.pendingBytes());
    recordsSent.inc(batch.records());
    countBytes();
  }

  private void countBytes() {
    bytesSent.inc(outlet.sentBytes() - bytesSent.getCount());
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    try {
      pump();
      if (endOfInput) {
        for (GlobalBatch batch : intake.finish(config.remainder())) {
          send(batch);
        }
      }
      for (StagedBundle bundle : outlet.flush()) {
        written.add(new WrittenBundle(subtask, order++, bundle));
      }
      countBytes();
    } catch (RuntimeException e) {
      errors.inc();
      throw Failures.forGood(e);
    }
  }

  /** What {@link #flush}, which Flink calls right before, has staged. */
  @Override
  public Collection<WrittenBundle> prepareCommit() {
    List<WrittenBundle> handedOver = List.copyOf(written);
    written.clear();
    return handedOver;
  }

  @Override
  public List<WriterState> snapshotState(long checkpointId) {
    outlet.snapshotTaken(checkpointId);
    pacer.ifPresent(LagPacer::snapshotTaken);
    List<WriterState> states = new ArrayList<>();
    List<Sample> chunk = new ArrayList<>();
    long bytes = 0;
    for (Sample sample : intake.pending()) {
      if (!chunk.isEmpty() && bytes + sample.bytes() > STATE_CHUNK_BYTES) {
        states.add(new WriterState(connection.stream().id(), chunk));
        chunk = new ArrayList<>();
        bytes = 0;
      }
      chunk.add(sample);
      bytes += sample.bytes();
    }
    if (!chunk.isEmpty()) {
      states.add(new WriterState(connection.stream().id(), chunk));
    }
    return states;
  }

  @Override
  public void close() {
    outlet.close();
    connection.close();
  }
}
