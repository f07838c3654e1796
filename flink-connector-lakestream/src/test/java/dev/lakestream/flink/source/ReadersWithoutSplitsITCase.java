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
import dev.lakestream.flink.PatientCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(40)
class ReadersWithoutSplitsITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(8);

  private final TestStream stream = TestStream.inMemory(new Mesh(2, 1)).stepsPerBundle(1);

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  /** Field fault B24: more readers than batches. */
  @Test
  void twoBatchesAtEightReadersAreReadToTheEnd() throws Exception {
    stream.append(2);
    for (ReadOrder order : ReadOrder.values()) {
      assertThat(SourceJob.of(stream).bounded().parallelism(8).order(order).run())
          .containsExactlyInAnyOrderElementsOf(stream.records(0, 2));
    }
  }

  @Test
  void anEmptyStreamIsReadToTheEnd() throws Exception {
    for (ReadOrder order : ReadOrder.values()) {
      assertThat(SourceJob.of(stream).bounded().parallelism(8).order(order).run()).isEmpty();
    }
  }

  @Test
  void batchModeReadsEverything() throws Exception {
    stream.append(20);
    for (ReadOrder order : ReadOrder.values()) {
      assertThat(SourceJob.of(stream).bounded().batchMode().parallelism(4).order(order).run())
          .containsExactlyInAnyOrderElementsOf(stream.records(0, 20));
    }
  }

  /** The adaptive scheduler asks the source how many readers it has work for. */
  @Test
  void aBatchJobHasAsManyReadersAsSplits() throws Exception {
    stream.append(5);
    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .batchMode()
            .parallelism(8) // which bounds what the scheduler chooses
            .middle(records -> records.map(new NumberOfTasks()))
            .run();
    assertThat(read).hasSize(5 * 2 * 3).containsOnly("5");
  }

  private static final class NumberOfTasks extends RichMapFunction<String, String> {

    private static final long serialVersionUID = 1L;

    @Override
    public String map(String record) {
      return String.valueOf(getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks());
    }
  }

  /** The number of records of each window of two steps, as {@code start:count}. */
  private static DataStream<String> counts(DataStream<String> records) {
    return records
        .windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(2)))
        .process(new Count())
        .returns(Types.STRING);
  }

  private static final class Count extends ProcessAllWindowFunction<String, String, TimeWindow> {

    private static final long serialVersionUID = 1L;

    @Override
    public void process(Context context, Iterable<String> records, Collector<String> out) {
      int count = 0;
      for (String ignored : records) {
        count++;
      }
      out.collect(context.window().getStart() + ":" + count);
    }
  }

  /**
   * One step at a time is read by one of eight readers; the others have nothing. The watermark
   * strategy knows nothing of idleness.
   */
  private void windowsFire(ReadOrder order) throws Exception {
    SourceJob job =
        SourceJob.of(stream)
            .parallelism(8)
            .order(order)
            .watermarks(WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(4)))
            .middle(ReadersWithoutSplitsITCase::counts)
            .start();
    Map<String, String> windows = new TreeMap<>();
    for (int window = 0; window < 7; window++) {
      stream.append(1);
      stream.append(1);
      if (window >= 3) {
        List<String> fired = job.take(1);
        fired.forEach(count -> windows.put(count.substring(0, count.indexOf(':')), count));
      }
    }
    job.cancel();
    assertThat(windows.values()).containsExactlyInAnyOrder("0:12", "2000:12", "4000:12", "6000:12");
  }

  /** Field fault B24: readers without splits do not hold the watermark. */
  @Test
  void windowsFireThoughMostReadersHaveNothing() throws Exception {
    windowsFire(ReadOrder.NONE);
  }

  @Test
  void windowsFireInSliceOrderWithMoreReadersThanSlices() throws Exception {
    windowsFire(ReadOrder.SLICE);
  }

  @Test
  void windowsFireInGlobalOrder() throws Exception {
    windowsFire(ReadOrder.GLOBAL);
  }

  @Test
  void alignedSplitsAreReadToTheEnd() throws Exception {
    stream.append(40);
    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .parallelism(4)
            .watermarks(
                WatermarkStrategy.<String>forMonotonousTimestamps()
                    .withWatermarkAlignment("group", Duration.ofSeconds(1), Duration.ofMillis(20)))
            .run();
    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(0, 40));
  }

  @Test
  void idleReadersOfAnAlignedGroupDoNotHoldTheOthersBack() throws Exception {
    stream.append(40);
    SourceJob job =
        SourceJob.of(stream)
            .parallelism(8)
            .order(ReadOrder.GLOBAL)
            .watermarks(
                WatermarkStrategy.<String>forMonotonousTimestamps()
                    .withWatermarkAlignment("group", Duration.ofSeconds(1), Duration.ofMillis(20)))
            .start();
    assertThat(job.take(240)).isEqualTo(stream.records(0, 40));
    job.cancel();
  }
}
