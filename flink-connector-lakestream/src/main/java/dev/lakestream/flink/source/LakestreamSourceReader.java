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

import dev.lakestream.flink.StreamTarget;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordEmitter;
import org.apache.flink.connector.base.source.reader.SingleThreadMultiplexSourceReaderBase;
import org.apache.flink.core.io.InputStatus;

/**
 * Asks for splits, a few ahead of the one that it reads, and emits their records.
 *
 * <p>A reader that has no split, and is told that there is none for it, is idle: it does not hold
 * the watermark of the job back, whether or not the job's watermark strategy knows of idleness.
 */
final class LakestreamSourceReader<OUT>
    extends SingleThreadMultiplexSourceReaderBase<Emitted<OUT>, OUT, BundleSplit, SplitState> {

  /** So many splits at most, however small. */
  private static final int MOST_SPLITS = 16;

  private final StreamTarget.Connection connection;
  private final ReaderMetrics metrics;
  private final long aheadBytes;
  private final Map<String, SplitState> assigned = new LinkedHashMap<>();
  private OneOutput<OUT> output;
  private boolean asked;
  private boolean noMore;
  private boolean idle;
  private boolean idleWanted;

  static <OUT> LakestreamSourceReader<OUT> create(
      StreamTarget.Connection connection,
      SourceConfig config,
      SliceDeserializer<OUT> deserializer,
      SourceReaderContext context) {
    ReaderMetrics metrics = new ReaderMetrics(context.metricGroup());
    return new LakestreamSourceReader<>(connection, config, deserializer, metrics, context);
  }

  private LakestreamSourceReader(
      StreamTarget.Connection connection,
      SourceConfig config,
      SliceDeserializer<OUT> deserializer,
      ReaderMetrics metrics,
      SourceReaderContext context) {
    super(
        () -> new BundleSplitReader<>(connection.stream(), config, deserializer, metrics),
        new Emitter<>(metrics),
        context.getConfiguration(),
        context);
    this.connection = connection;
    this.metrics = metrics;
    this.aheadBytes = config.get(LakestreamSourceOptions.FETCH_MEMORY).getBytes();
  }

  private record Emitter<OUT>(ReaderMetrics metrics)
      implements RecordEmitter<Emitted<OUT>, OUT, SplitState> {

    @Override
    public void emitRecord(Emitted<OUT> element, SourceOutput<OUT> output, SplitState state) {
      if (element.timestamp == Long.MIN_VALUE) {
        output.collect(element.record);
      } else {
        output.collect(element.record, element.timestamp);
      }
      state.emitted(element);
      metrics.emitted();
    }
  }

  @Override
  public void start() {
    ask();
  }

  /** One request at a time, so that readers are served in turn. */
  private void ask() {
    long bytes =
        assigned.values().stream().mapToLong(state -> state.assigned().estimatedBytes()).sum();
    boolean room = assigned.isEmpty() || (assigned.size() < MOST_SPLITS && bytes < aheadBytes);
    if (room && !asked && !noMore) {
      asked = true;
      context.sendSplitRequest();
    }
  }

  @Override
  public void addSplits(List<BundleSplit> splits) {
    asked = false;
    idleWanted = false;
    if (idle) {
      output.markActive();
      idle = false;
    }
    super.addSplits(splits);
    ask();
  }

  @Override
  protected SplitState initializedState(BundleSplit split) {
    SplitState state = new SplitState(split);
    assigned.put(split.splitId(), state);
    metrics.assigned(split.estimatedRecords(), split.estimatedBytes());
    return state;
  }

  @Override
  protected void onSplitFinished(Map<String, SplitState> finished) {
    for (SplitState state : finished.values()) {
      assigned.remove(state.assigned().splitId());
      metrics.assigned(-state.pendingRecords(), -state.assigned().estimatedBytes());
    }
    context.sendSourceEventToCoordinator(new SplitsFinishedEvent(List.copyOf(finished.keySet())));
    if (idleWanted) {
      beIdle();
    }
    ask();
  }

  @Override
  protected BundleSplit toSplitType(String splitId, SplitState state) {
    return state.toSplit();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<OUT> main) throws Exception {
    if (output == null || !output.isOf(main)) {
      output = new OneOutput<>(main);
    }
    if (idleWanted) {
      beIdle();
    }
    return super.pollNext(output);
  }

  @Override
  public void handleSourceEvents(SourceEvent event) {
    if (event instanceof NothingToReadEvent) {
      idleWanted = true;
      beIdle();
    } else {
      super.handleSourceEvents(event);
    }
  }

  private void beIdle() {
    if (output == null || !assigned.isEmpty()) {
      return;
    }
    output.markIdle();
    idle = true;
    idleWanted = false;
  }

  @Override
  public void notifyNoMoreSplits() {
    noMore = true;
    super.notifyNoMoreSplits();
  }

  @Override
  public void close() throws Exception {
    try {
      super.close();
    } finally {
      connection.close();
    }
  }
}
