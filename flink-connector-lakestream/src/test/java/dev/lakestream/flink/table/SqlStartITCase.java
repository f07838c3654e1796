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
package dev.lakestream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.flink.PatientCluster;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.ReclaimSettings;
import dev.lakestream.retention.Reclaimer;
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.Stores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where queries start: every {@code scan.startup.mode}, and {@code scan.on-reclaimed}. */
class SqlStartITCase {

  private static final String SHAPE =
      "'mesh'='1x1', 'sink.batch.rows-per-slice'='1', 'sink.parallelism'='1'";

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(4);

  private final Sql sql = Sql.batch();
  private TrainingStream stream;

  @AfterEach
  void close() {
    if (stream != null) {
      stream.store().close();
    }
  }

  /** Step n holds the row n, in a commit of its own. */
  private void steps(int count) {
    sql.table("t", "id INT", SHAPE);
    for (int step = 0; step < count; step++) {
      sql.execute("INSERT INTO t VALUES (" + step + ")");
    }
    stream = TrainingStream.open(Stores.open(sql.path("t"), Map.of()));
  }

  private List<String> from(String options) {
    return sql.sorted("SELECT id FROM t /*+ OPTIONS(" + options + ") */");
  }

  @Test
  void aQueryStartsAtTheFirstStepUnlessItIsTold() {
    steps(3);
    assertThat(from("'scan.startup.mode'='earliest'")).containsExactly("+I[0]", "+I[1]", "+I[2]");
    assertThat(from("'scan.startup.mode'='step', 'scan.startup.step'='2'"))
        .containsExactly("+I[2]");
  }

  @Test
  void aQueryStartsAtTheCursorOfATrainingJob() {
    steps(3);
    Cursor cursor = new Cursor(stream.id(), stream.log().newest().version(), 1, new Mesh(1, 1));
    assertThat(
            from("'scan.startup.mode'='cursor', 'scan.startup.cursor'='" + cursor.toText() + "'"))
        .containsExactly("+I[1]", "+I[2]");
  }

  @Test
  void aQueryStartsAtATimeOfPublication() {
    steps(2);
    sql.execute(
        "CREATE TABLE pub (t TIMESTAMP_LTZ(3) METADATA FROM 'published_at' VIRTUAL,"
            + " s BIGINT METADATA FROM 'step' VIRTUAL, id INT) WITH ('connector'='lakestream', 'path'='"
            + sql.path("t")
            + "')");
    Row last = sql.results("SELECT t FROM pub WHERE s = 1").get(0);
    long millis = ((Instant) last.getField(0)).toEpochMilli();
    String mode = "'scan.startup.mode'='timestamp', 'scan.startup.timestamp-millis'='";
    assertThat(from(mode + millis + "'")).contains("+I[1]");
    assertThat(from(mode + (millis + 1) + "'")).isEmpty();
    assertThat(from(mode + "0'")).containsExactly("+I[0]", "+I[1]");
  }

  @Test
  void aQueryStartsWhereItsGroupStandsAndRecordsThere() {
    steps(3);
    Watermarks watermarks = new Watermarks(stream);
    watermarks.set("replay", 1);
    String group = "'scan.startup.mode'='group', 'scan.consumer-group'='";
    assertThat(from(group + "replay'")).containsExactly("+I[1]", "+I[2]");
    assertThat(from(group + "new'")).containsExactly("+I[0]", "+I[1]", "+I[2]");
    assertThat(watermarks.read("new", 0).orElseThrow().kind())
        .isEqualTo(Watermark.Kind.FLINK_SOURCE);
  }

  @Test
  void aQueryThatStartsAtTheEndSeesWhatComesAfter() throws Exception {
    steps(2);
    Sql streaming = sql.streamingSession();
    streaming.table("t", "id INT", SHAPE);
    TableResult query =
        streaming.environment.executeSql(
            "SELECT id FROM t /*+ OPTIONS('scan.startup.mode'='latest',"
                + " 'scan.consumer-group'='tail', 'scan.discovery-interval'='50 ms') */");
    JobClient job = query.getJobClient().orElseThrow();
    try (CloseableIterator<Row> rows = query.collect()) {
      // The group is recorded when the start is settled.
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> new Watermarks(stream).step("tail").isPresent());
      sql.execute("INSERT INTO t VALUES (2)");
      assertThat(rows.next()).hasToString("+I[2]");
    } finally {
      var unused = job.cancel();
    }
  }

  @Test
  void whatIsReclaimedFailsTheQueryOrIsLeftOut() {
    steps(3);
    var unused = Reclaimer.of(stream, ReclaimSettings.DEFAULT.trimTo(2)).run();
    String start = "'scan.startup.mode'='step', 'scan.startup.step'='0'";
    assertThatThrownBy(() -> from(start))
        .hasStackTraceContaining("PositionReclaimedException")
        .hasStackTraceContaining("the first step still held is 2");
    assertThat(from(start + ", 'scan.on-reclaimed'='earliest'")).containsExactly("+I[2]");
    assertThat(from("'scan.startup.mode'='earliest'")).containsExactly("+I[2]");
  }
}
