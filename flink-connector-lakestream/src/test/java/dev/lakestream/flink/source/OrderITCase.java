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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class OrderITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(8);

  @TempDir Path directory;

  private final TestStream stream = TestStream.inMemory(new Mesh(3, 2)).stepsPerBundle(2);

  /** Each record with the task that emitted it, chained to the source so that its order stays. */
  private static DataStream<String> withTask(DataStream<String> records) {
    return records.map(new TaskTag());
  }

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  @Test
  void inSliceOrderEachPositionComesFromOneReaderInStepOrder() throws Exception {
    stream.append(12).append(11);

    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .parallelism(4)
            .order(ReadOrder.SLICE)
            .middle(OrderITCase::withTask)
            .run();

    Map<String, List<String>> bySlice = new LinkedHashMap<>();
    Map<String, String> tasks = new LinkedHashMap<>();
    for (String tagged : read) {
      String text = TaskTag.text(tagged);
      String slice = text.replaceAll("^[0-9]+/([0-9]+/[0-9]+)/.*", "$1");
      bySlice.computeIfAbsent(slice, unused -> new ArrayList<>()).add(text);
      assertThat(tasks.merge(slice, TaskTag.task(tagged), (a, b) -> a.equals(b) ? a : "two"))
          .isNotEqualTo("two");
    }
    assertThat(tasks.values()).contains("0", "1", "2", "3");
    List<String> all = stream.records(0, 23);
    bySlice.forEach(
        (slice, texts) ->
            assertThat(texts)
                .isEqualTo(all.stream().filter(text -> text.contains("/" + slice + "/")).toList()));
    assertThat(read).hasSize(all.size());
  }

  @Test
  void inGlobalOrderEverythingComesInOrderFromOneReader() throws Exception {
    stream.append(12).append(11);

    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .parallelism(4)
            .order(ReadOrder.GLOBAL)
            .middle(OrderITCase::withTask)
            .run();

    assertThat(read.stream().map(TaskTag::text)).isEqualTo(stream.records(0, 23));
    assertThat(read.stream().map(TaskTag::task).distinct()).hasSize(1);
  }

  @Test
  void sliceOrderSurvivesAFailure() throws Exception {
    stream.recordsPerSlice(40).append(20);
    Trap trap = Trap.after(200, 1);

    List<String> read =
        SourceJob.of(stream)
            .bounded()
            .parallelism(3)
            .order(ReadOrder.SLICE)
            .middle(records -> records.map(trap))
            .run();

    assertThat(trap.left()).isZero();
    assertInSliceOrder(read, stream.records(0, 20));
  }

  @Test
  void sliceOrderSurvivesAChangeOfParallelism() throws Exception {
    stream.recordsPerSlice(40).append(20);
    SourceJob first =
        SourceJob.of(stream)
            .parallelism(2)
            .order(ReadOrder.SLICE)
            .middle(records -> records.map(new Slow(20)))
            .start();
    List<String> read = new ArrayList<>(first.take(500));
    String savepoint = first.stopWithSavepoint(directory.toUri().toString());
    read.addAll(first.take(Integer.MAX_VALUE));
    stream.append(3);

    read.addAll(
        SourceJob.of(stream)
            .parallelism(5)
            .order(ReadOrder.SLICE)
            .source(builder -> builder.boundedBy(BoundedMode.step(23)))
            .from(savepoint)
            .run());

    assertInSliceOrder(read, stream.records(0, 23));
  }

  static void assertInSliceOrder(List<String> read, List<String> all) {
    assertThat(read).hasSameSizeAs(all);
    for (int d = 0; d < 3; d++) {
      for (int c = 0; c < 2; c++) {
        String slice = "/" + d + "/" + c + "/";
        assertThat(read.stream().filter(text -> text.contains(slice)))
            .isEqualTo(all.stream().filter(text -> text.contains(slice)).toList());
      }
    }
  }
}
