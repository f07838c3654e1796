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

import dev.lakestream.flink.PatientCluster;
import dev.lakestream.store.Op;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** INSERT and SELECT in a cluster. */
class SqlITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(4);

  @Test
  void whatIsInsertedIsSelectedWithItsPlace() {
    Sql sql = Sql.batch();
    sql.table(
        "t",
        "id BIGINT NOT NULL, caption STRING, s BIGINT METADATA FROM 'step' VIRTUAL,"
            + " dp_rank INT METADATA VIRTUAL, payload BYTES, i INT METADATA FROM 'record_index'"
            + " VIRTUAL, event_time TIMESTAMP_LTZ(3) METADATA VIRTUAL",
        "'mesh'='2x1', 'sink.batch.rows-per-slice'='2', 'sink.parallelism'='1'");
    sql.execute(
        "INSERT INTO t SELECT id, NULLIF(c, 'null'), CASE WHEN id <> 2 THEN p END FROM (VALUES (0,"
            + " 'a', x'00'), (1, 'null', x''), (2, '', x'02'), (3, 'd', x'0102'), (4, 'e', x'05'))"
            + " AS T(id, c, p)");
    assertThat(
            sql.rows("SELECT s, dp_rank, i, id, caption, payload, event_time FROM t ORDER BY id"))
        .containsExactly(
            "+I[0, 0, 0, 0, a, [0], null]",
            "+I[0, 0, 1, 1, null, [], null]",
            "+I[0, 1, 0, 2, , null, null]",
            "+I[0, 1, 1, 3, d, [1, 2], null]",
            "+I[1, 0, 0, 4, e, [5], null]");
    assertThat(sql.rows("SELECT payload, id FROM t WHERE id = 3")).containsExactly("+I[[1, 2], 3]");
    assertThat(sql.rows("SELECT i, s FROM t WHERE id = 3")).containsExactly("+I[1, 0]");
    assertThat(sql.rows("SELECT COUNT(*) FROM t")).containsExactly("+I[5]");
    assertThat(sql.sorted("SELECT s, COUNT(*) FROM t GROUP BY s"))
        .containsExactly("+I[0, 4]", "+I[1, 1]");
  }

  /** Field fault B27: projections that leave out, reorder, rename and nest. */
  @Test
  void everyValueIsInTheColumnThatAsksForIt() {
    Sql sql = Sql.batch();
    String columns =
        "n ROW<x INT, y ROW<z STRING>>, ts TIMESTAMP(3), payload BYTES, id BIGINT NOT NULL,";
    sql.table(
        "t",
        columns + " WATERMARK FOR ts AS ts - INTERVAL '1' SECOND",
        "'mesh'='1x1', 'sink.batch.rows-per-slice'='1', 'sink.parallelism'='1'");
    sql.execute(
        "INSERT INTO t SELECT ROW(5, ROW('deep')), TIMESTAMP '2026-01-01 00:00:00', x'00ff', 1");
    sql.execute(
        "INSERT INTO t SELECT CAST(NULL AS ROW<x INT, y ROW<z STRING>>), CAST(NULL AS"
            + " TIMESTAMP(3)), x'', 2");
    sql.execute(
        "CREATE TABLE u (r INT METADATA FROM 'record_index' VIRTUAL, "
            + columns
            + " dp_rank BIGINT METADATA VIRTUAL, bundle_step STRING METADATA FROM 'step' VIRTUAL,"
            + " twice AS id * 2, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH"
            + " ('connector'='lakestream', 'path'='"
            + sql.path("t")
            + "')");
    assertThat(sql.sorted("SELECT id FROM u")).containsExactly("+I[1]", "+I[2]");
    assertThat(sql.sorted("SELECT twice, dp_rank, n.y.z, bundle_step, payload, r, n.x FROM u"))
        .containsExactly("+I[2, 0, deep, 0, [0, -1], 0, 5]", "+I[4, 0, null, 1, [], 0, null]");
    assertThat(sql.sorted("SELECT bundle_step, dp_rank FROM u"))
        .containsExactly("+I[0, 0]", "+I[1, 0]");
    assertThat(sql.sorted("SELECT r, payload, dp_rank, id FROM u WHERE ts IS NULL"))
        .containsExactly("+I[0, [], 0, 2]");
    assertThat(sql.rows("SELECT n.y.z, n FROM u WHERE bundle_step = '0'"))
        .containsExactly("+I[deep, +I[5, +I[deep]]]");
    assertThat(sql.rows("SELECT COUNT(*), COUNT(n.x), COUNT(r) FROM u"))
        .containsExactly("+I[2, 1, 2]");
  }

  @Test
  void everythingThatSqlCanWriteComesBack() {
    Sql sql = Sql.batch();
    String columns =
        "a BOOLEAN, b TINYINT, c SMALLINT, d DECIMAL(38, 18), e FLOAT, f DOUBLE, g DATE, h TIME(3),"
            + " i TIMESTAMP(9), j TIMESTAMP_LTZ(6), k BINARY(2), l ARRAY<ARRAY<STRING>>,"
            + " m MAP<STRING, ROW<x INT, y ARRAY<DOUBLE>>>, n MULTISET<STRING>, o CHAR(3),"
            + " p ROW<q ROW<r STRING NOT NULL>>";
    sql.table("t", columns, "'mesh'='1x1', 'sink.batch.rows-per-slice'='10'");
    String values =
        "SELECT TRUE, CAST(-128 AS TINYINT), CAST(-32768 AS SMALLINT),"
            + " CAST('-99999999999999999999.999999999999999999' AS DECIMAL(38, 18)),"
            + " CAST(1.5 AS FLOAT), CAST(-0.25 AS DOUBLE), DATE '0001-01-01', TIME '23:59:59.999',"
            + " TIMESTAMP '1999-12-31 23:59:59.123456789',"
            + " CAST(TIMESTAMP '9999-12-31 23:59:59.999999' AS TIMESTAMP_LTZ(6)), x'0aff',"
            + " ARRAY[ARRAY['x', CAST(NULL AS STRING)]],"
            + " MAP['k', ROW(7, ARRAY[1.0E0, CAST(NULL AS DOUBLE)])], COLLECT(v), 'abc',"
            + " ROW(ROW('deep')) FROM (VALUES ('m'), ('m')) AS T(v)";
    sql.execute("INSERT INTO t " + values);
    assertThat(sql.rows("SELECT * FROM t"))
        .containsExactly(
            "+I[true, -128, -32768, -99999999999999999999.999999999999999999, 1.5, -0.25,"
                + " 0001-01-01, 23:59:59.999, 1999-12-31T23:59:59.123456789,"
                + " 9999-12-31T23:59:59.999999Z, [10, -1], [[x, null]], {k=+I[7, [1.0, null]]},"
                + " {m=2}, abc, +I[+I[deep]]]");
    assertThat(sql.rows("SELECT p.q.r, m['k'].x, CARDINALITY(l) FROM t"))
        .containsExactly("+I[deep, 7, 1]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "avro"})
  void flinksFormatsWriteEachRowByItself(String format) {
    Sql sql = Sql.batch();
    String columns = "id BIGINT, step BIGINT METADATA VIRTUAL, caption STRING, payload BYTES";
    sql.table(
        "t", columns, "'format'='" + format + "', 'mesh'='2x2', 'sink.batch.rows-per-slice'='1'");
    sql.execute("INSERT INTO t VALUES (1, 'a', x'01'), (2, 'b', x'0203')");
    assertThat(sql.rows("SELECT caption, step, id FROM t ORDER BY id"))
        .containsExactly("+I[a, 0, 1]", "+I[b, 0, 2]");
    assertThat(sql.rows("SELECT SUM(id), COUNT(*) FROM t")).containsExactly("+I[3, 2]");
    assertThat(sql.rows("SELECT payload FROM t WHERE id = 1")).containsExactly("+I[[1]]");
  }

  @Test
  void rawBytesAreRecordsAsTheyAre() {
    Sql sql = Sql.batch();
    sql.table("t", "b BYTES", "'format'='raw', 'mesh'='1x1', 'sink.batch.rows-per-slice'='3'");
    sql.execute("INSERT INTO t VALUES (x'01'), (x'0203')");
    assertThat(sql.sorted("SELECT * FROM t")).containsExactly("+I[[1]]", "+I[[2, 3]]");
  }

  @Test
  void aStreamingInsertPublishesWithCheckpointsAndIsReadInBothModes() {
    Sql sql = Sql.streaming();
    sql.execute(
        "CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector'='datagen',"
            + " 'fields.id.kind'='sequence', 'fields.id.start'='0', 'fields.id.end'='499',"
            + " 'rows-per-second'='2000')");
    sql.table("t", "id BIGINT", "'mesh'='2x1', 'sink.batch.rows-per-slice'='7'");
    sql.execute("INSERT INTO t SELECT id FROM numbers");
    List<String> all = IntStream.range(0, 500).mapToObj(i -> "+I[" + i + "]").sorted().toList();
    assertThat(sql.sorted("SELECT id FROM t /*+ OPTIONS('scan.bounded.mode'='latest') */"))
        .isEqualTo(all);
    sql.execute("CREATE TABLE bounded WITH ('scan.bounded.mode'='latest') LIKE t");
    assertThat(sql.rows("SELECT COUNT(*) FROM bounded")).last().isEqualTo("+U[500]");
  }

  @Test
  void rowsGoWhereTheyAskTo() {
    Sql sql = Sql.batch();
    sql.table(
        "t",
        "id INT, d INT METADATA FROM 'dp_rank', c INT METADATA FROM 'cp_rank',"
            + " ts TIMESTAMP_LTZ(3) METADATA FROM 'event_time', s BIGINT METADATA FROM 'step'"
            + " VIRTUAL",
        "'mesh'='2x2', 'sink.batch.rows-per-slice'='1', 'sink.parallelism'='1'");
    sql.execute(
        "INSERT INTO t SELECT id, d, c, TO_TIMESTAMP_LTZ(id * 1000, 3) FROM (VALUES (5, 1, 0), (6,"
            + " 0, 1), (7, 1, 1), (8, 1, 1), (9, 0, 0)) AS T(id, d, c)");
    assertThat(sql.rows("SELECT id, d, c, ts, s FROM t ORDER BY id"))
        .containsExactly(
            "+I[5, 1, 0, 1970-01-01T00:00:05Z, 0]",
            "+I[6, 0, 1, 1970-01-01T00:00:05Z, 0]",
            "+I[7, 1, 1, 1970-01-01T00:00:05Z, 0]",
            "+I[8, 1, 1, 1970-01-01T00:00:08Z, 1]",
            "+I[9, 0, 0, 1970-01-01T00:00:05Z, 0]");
    assertThatThrownBy(
            () -> sql.execute("INSERT INTO t VALUES (1, 2, 0, CAST(NULL AS TIMESTAMP_LTZ(3)))"))
        .hasStackTraceContaining("slice (2, 0), which a mesh of 2x2 does not have");
  }

  @ParameterizedTest
  @ValueSource(strings = {"arrow", "json"})
  void theAttributesOfABatchAreThoseOfItsRows(String format) {
    Sql sql = Sql.batch();
    sql.table(
        "t",
        "id INT, attributes MAP<STRING, STRING> METADATA, s BIGINT METADATA FROM 'step' VIRTUAL",
        "'format'='"
            + format
            + "', 'mesh'='2x1', 'sink.batch.rows-per-slice'='1', 'sink.parallelism'='1'");
    sql.execute(
        // Literals alone: rows with a CAST become sources of their own, and come in any order.
        "INSERT INTO t SELECT id, CASE WHEN k = '-' THEN CAST(NULL AS MAP<STRING, STRING>) ELSE"
            + " MAP['run', 'r1', k, 'x'] END FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, '-'),"
            + " (5, '-'), (6, '-')) AS T(id, k)");
    assertThat(
            sql.rows(
                "SELECT id, attributes['run'], attributes['a'], attributes['b'], attributes['c'],"
                    + " CARDINALITY(attributes) FROM t ORDER BY id"))
        .containsExactly(
            "+I[1, r1, x, x, null, 3]",
            "+I[2, r1, x, x, null, 3]",
            "+I[3, r1, null, null, x, 2]",
            "+I[4, r1, null, null, x, 2]",
            "+I[5, null, null, null, null, 0]",
            "+I[6, null, null, null, null, 0]");

    assertThatThrownBy(
            () -> sql.execute("INSERT INTO t VALUES (7, MAP['run', 'r2']), (8, MAP['run', 'r3'])"))
        .hasStackTraceContaining("attribute \"run\" is of a whole batch")
        .hasStackTraceContaining("\"r2\"")
        .hasStackTraceContaining("\"r3\"")
        .hasStackTraceContaining("a job of its own");
    assertThatThrownBy(
            () -> sql.execute("INSERT INTO t VALUES (7, MAP['run', CAST(NULL AS STRING)])"))
        .hasStackTraceContaining("the attribute \"run\" with the value null");
    assertThat(sql.rows("SELECT COUNT(*) FROM t")).containsExactly("+I[6]");
  }

  @Test
  void aWatermarkIsMadeInEachReaderAndIdleReadersDoNotHoldItBack() throws Exception {
    Sql sql = Sql.streaming();
    sql.set("parallelism.default", "4");
    sql.table(
        "t",
        "id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND",
        "'mesh'='1x1', 'sink.batch.rows-per-slice'='4', 'sink.parallelism'='1'");
    sql.execute(
        "INSERT INTO t VALUES (1, TIMESTAMP '2020-01-01 00:00:01'), (2, TIMESTAMP '2020-01-01"
            + " 00:00:09'), (3, TIMESTAMP '2020-01-01 00:00:12'), (4, TIMESTAMP '2020-01-01"
            + " 00:01:00')");
    String windows =
        "SELECT window_start, SUM(id) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10'"
            + " SECOND)) GROUP BY window_start, window_end";
    try (CloseableIterator<Row> results = sql.environment.executeSql(windows).collect()) {
      assertThat(results.next()).hasToString("+I[2020-01-01T00:00, 3]");
      assertThat(results.next()).hasToString("+I[2020-01-01T00:00:10, 3]");
    }
  }

  @Test
  void anEmptyStreamHasNoRowsAndAMissingOneIsAnError() {
    Sql sql = Sql.batch();
    sql.table("t", "id INT", "'mesh'='2x1', 'sink.batch.rows-per-slice'='2'");
    assertThatThrownBy(() -> sql.rows("SELECT * FROM t"))
        .hasStackTraceContaining("StreamNotFoundException")
        .hasStackTraceContaining(sql.path("t"));
    sql.execute("INSERT INTO t SELECT * FROM (VALUES (1)) AS T(id) WHERE id > 1");
    assertThat(sql.rows("SELECT COUNT(*) FROM t")).containsExactly("+I[0]");
    assertThat(sql.rows("SELECT * FROM t")).isEmpty();
  }

  @Test
  void aTableOfOtherColumnsIsRefusedWithBothSides() {
    Sql sql = Sql.batch();
    sql.table("t", "id INT, name STRING", "'mesh'='1x1', 'sink.batch.rows-per-slice'='2'");
    sql.execute("INSERT INTO t VALUES (1, 'a')");
    String same = "'connector'='lakestream', 'path'='" + sql.path("t") + "'";
    sql.execute("CREATE TABLE fewer (name STRING) WITH (" + same + ")");
    assertThat(sql.rows("SELECT * FROM fewer")).containsExactly("+I[a]");
    sql.execute("CREATE TABLE other (id BIGINT, name STRING) WITH (" + same + ")");
    assertThatThrownBy(() -> sql.plan("SELECT * FROM other"))
        .hasStackTraceContaining("`id` BIGINT")
        .hasStackTraceContaining("`id` INT");
    assertThatThrownBy(() -> sql.plan("INSERT INTO fewer VALUES ('a')"))
        .hasStackTraceContaining("was created with ROW<`id` INT, `name`");
    sql.execute("CREATE TABLE json (id INT, name STRING) WITH (" + same + ", 'format'='json')");
    assertThatThrownBy(() -> sql.plan("SELECT * FROM json"))
        .hasStackTraceContaining("the format 'json'")
        .hasStackTraceContaining("slice format 'arrow'");
  }

  /** Field fault B30: one poisoned row never makes what is published unreadable. */
  @Test
  void aValueThatBreaksItsTypeIsNotWritten() {
    Sql sql = Sql.batch();
    sql.table("t", "a ARRAY<TIMESTAMP(9)>", "'mesh'='1x1', 'sink.batch.rows-per-slice'='1'");
    sql.execute("INSERT INTO t SELECT ARRAY[TIMESTAMP '2026-01-01 00:00:00']");
    assertThatThrownBy(
            () -> sql.execute("INSERT INTO t SELECT ARRAY[TIMESTAMP '9999-12-31 00:00:00']"))
        .hasStackTraceContaining("Field 'a[0]' of a row is 9999-12-31T00:00");
    assertThat(sql.rows("SELECT a FROM t")).containsExactly("+I[[2026-01-01T00:00]]");
  }

  /** Field fault B47: a path that needs escaping. */
  @Test
  void aPathIsTakenLiterally(@TempDir Path directory) throws IOException {
    Path parent = Files.createDirectories(directory.resolve("a b+%20#?=:&~ 中😀"));
    Sql sql = Sql.batch();
    String path = "file://" + directory + "/a b+%20#?=:&~ 中😀/\"t\" ''quoted''";
    sql.execute(
        "CREATE TABLE t (id INT) WITH ('connector'='lakestream', 'path'='"
            + path
            + "', 'mesh'='1x1', 'sink.batch.rows-per-slice'='2', 'file.sync'='false')");
    sql.execute("INSERT INTO t VALUES (1), (2)");
    assertThat(parent.resolve("\"t\" 'quoted'").resolve("stream")).exists();
    assertThat(sql.sorted("SELECT * FROM t")).containsExactly("+I[1]", "+I[2]");
  }

  @Test
  void scanParallelismIsThatOfTheSource() {
    Sql sql = Sql.batch();
    sql.table("t", "id INT", "'mesh'='2x1', 'sink.batch.rows-per-slice'='1'");
    sql.execute("INSERT INTO t VALUES (1), (2), (3), (4)");
    String query = "SELECT id FROM t /*+ OPTIONS('scan.parallelism'='3') */";
    assertThat(sql.environment.explainSql(query, ExplainDetail.JSON_EXECUTION_PLAN))
        .containsPattern("(?s)\"Data Source\",.*\"parallelism\" : 3");
    assertThat(sql.sorted(query)).containsExactly("+I[1]", "+I[2]", "+I[3]", "+I[4]");
  }

  @Test
  void flinksOptionsOfWatermarksAreTaken() {
    Sql sql = Sql.streaming();
    sql.table(
        "t",
        "id INT, at_ms BIGINT, ts AS TO_TIMESTAMP_LTZ(at_ms, 3), WATERMARK FOR ts AS ts",
        "'mesh'='1x1', 'sink.batch.rows-per-slice'='1', 'scan.watermark.emit.strategy'='on-event',"
            + " 'scan.bounded.mode'='latest', 'scan.watermark.idle-timeout'='100 ms', 'scan.watermark.alignment.group'='g',"
            + " 'scan.watermark.alignment.max-drift'='1 min',"
            + " 'scan.watermark.alignment.update-interval'='50 ms'");
    sql.execute("INSERT INTO t VALUES (1, 1000), (2, 2000), (3, 61000), (4, 62000)");
    assertThat(
            sql.sorted(
                "SELECT COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1'"
                    + " MINUTE))"
                    + " GROUP BY window_start, window_end"))
        .containsExactly("+I[2, 3]", "+I[2, 7]");
  }

  @Test
  void rowsThatWaitForTheirBatchSurviveAStopAndARestore(@TempDir Path savepoints) throws Exception {
    Sql sql = Sql.streaming();
    sql.execute(
        "CREATE TEMPORARY TABLE numbers (id BIGINT, name STRING) WITH ('connector'='datagen',"
            + " 'fields.id.kind'='sequence', 'fields.id.start'='0', 'fields.id.end'='999',"
            + " 'fields.name.length'='5', 'rows-per-second'='400')");
    sql.table(
        "t",
        "id BIGINT, list ARRAY<STRING>",
        "'mesh'='3x1', 'sink.batch.rows-per-slice'='31', 'sink.parallelism'='2'");
    String insert = "INSERT INTO t SELECT id, ARRAY[CAST(id AS STRING), NULL] FROM numbers";
    JobClient first = sql.environment.executeSql(insert).getJobClient().orElseThrow();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> sql.store.log().count(Op.CREATE, "t/manifest/") >= 3);
    String savepoint =
        first
            .stopWithSavepoint(false, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
            .get();
    sql.set(StateRecoveryOptions.SAVEPOINT_PATH.key(), savepoint);
    sql.execute(insert);

    Sql reading = sql.anotherSession();
    reading.table("t", "id BIGINT, list ARRAY<STRING>", "");
    List<String> all =
        IntStream.range(0, 1000)
            .mapToObj(i -> "+I[" + i + ", [" + i + ", null]]")
            .sorted()
            .toList();
    assertThat(reading.sorted("SELECT * FROM t")).isEqualTo(all);
  }
}
