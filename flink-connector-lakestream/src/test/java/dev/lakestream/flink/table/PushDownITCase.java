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

import dev.lakestream.flink.PatientCluster;
import dev.lakestream.store.Op;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a query does not need is not read, and the answer is the same. */
class PushDownITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(4);

  private static final String DATA = "t/data/";

  private static Sql sql;
  private static long payload;

  /** 20 steps in 10 objects, each with 2 x 2 slices of 4 rows of 10,000 bytes. */
  @BeforeAll
  static void fill() {
    sql = Sql.batch();
    sql.table(
        "t",
        "id INT, payload STRING, step BIGINT METADATA VIRTUAL, d BIGINT METADATA FROM 'dp_rank'"
            + " VIRTUAL, cp_rank INT METADATA VIRTUAL, bundle STRING METADATA VIRTUAL",
        "'mesh'='2x2', 'sink.batch.rows-per-slice'='4', 'sink.parallelism'='1',"
            + " 'sink.bundle.max-steps'='2', 'arrow.dictionaries'='false'");
    sql.execute(
        "CREATE TEMPORARY TABLE numbers (id INT) WITH ('connector'='datagen',"
            + " 'fields.id.kind'='sequence', 'fields.id.start'='0', 'fields.id.end'='319', 'number-of-rows'='320')");
    sql.execute("INSERT INTO t SELECT id, REPEAT(CAST(id AS STRING), 4000) FROM numbers");
    sql.store.log().clear();
    assertThat(sql.rows("SELECT COUNT(DISTINCT payload) FROM t")).containsExactly("+I[320]");
    payload = sql.store.log().bytesDown(DATA);
    assertThat(payload).isGreaterThan(3_000_000);
  }

  private List<String> read(String query) {
    sql.store.log().clear();
    return sql.sorted(query);
  }

  private static long bytes() {
    return sql.store.log().bytesDown(DATA);
  }

  private static final List<String> FILTERS =
      List.of(
          "step = 7",
          "step BETWEEN 3 AND 4 AND d = 1",
          "step IN (0, 19) AND cp_rank <> 0",
          "d > 0",
          "NOT (d < 1) AND 18 <= step",
          "step = 3 OR step = 12",
          "step = 3 OR d = 1",
          "step > 100",
          "step >= 5 AND step < 5",
          "step < 2 AND id > 10",
          "MOD(step, 7) = 0 AND step < 9",
          "(step = 1 AND d = 0) OR (step = 2 AND d = 1)");

  @Test
  void filtersGiveTheSameAnswerAsWithoutPushingThemDown() {
    String query =
        FILTERS.stream()
            .map(
                filter ->
                    "SELECT %d, id, step, d, cp_rank, CHAR_LENGTH(payload) FROM t WHERE %s"
                        .formatted(FILTERS.indexOf(filter), filter))
            .collect(Collectors.joining(" UNION ALL "));
    List<String> pushed = read(query);
    sql.set("table.optimizer.source.predicate-pushdown-enabled", "false");
    try {
      assertThat(pushed).isEqualTo(sql.sorted(query)).hasSizeGreaterThan(300);
    } finally {
      sql.set("table.optimizer.source.predicate-pushdown-enabled", "true");
    }
  }

  @Test
  void aPredicateOnTheStepReadsTheObjectsThatHoldIt() {
    assertThat(read("SELECT id, payload FROM t WHERE step = 7")).hasSize(16);
    assertThat(bytes()).isBetween(payload / 50, payload / 9);
    assertThat(read("SELECT id, payload FROM t WHERE step IN (0, 19)")).hasSize(32);
    assertThat(bytes()).isLessThan(payload / 4);
    assertThat(read("SELECT id, payload FROM t WHERE step > 100")).isEmpty();
    assertThat(bytes()).isZero();
  }

  @Test
  void aPredicateOnTheRankReadsItsSlices() {
    assertThat(read("SELECT id, payload FROM t WHERE d = 1 AND cp_rank = 0")).hasSize(80);
    assertThat(bytes()).isBetween(payload / 5, payload * 3 / 10);
  }

  /** Field fault B27: no read of the payload where it is not needed. */
  @Test
  void countingAndMetadataFetchNoPayload() {
    assertThat(read("SELECT COUNT(*) FROM t")).containsExactly("+I[320]");
    assertThat(bytes()).isLessThan(payload / 500);
    assertThat(sql.store.log().count(Op.READ, DATA)).isEqualTo(10);
    assertThat(read("SELECT step, MIN(bundle) FROM t GROUP BY step")).hasSize(20);
    assertThat(bytes()).isLessThan(payload / 500);
    assertThat(read("SELECT d, cp_rank, COUNT(*) FROM t WHERE step < 10 GROUP BY d, cp_rank"))
        .containsExactly("+I[0, 0, 40]", "+I[0, 1, 40]", "+I[1, 0, 40]", "+I[1, 1, 40]");
    assertThat(bytes()).isLessThan(payload / 200);
    assertThat(read("SELECT COUNT(*) FROM t WHERE d = 0 AND step = 3")).containsExactly("+I[8]");
    assertThat(bytes()).isLessThan(payload / 1000);
  }

  @Test
  void aLimitEndsEarly() {
    assertThat(read("SELECT id, payload FROM t LIMIT 10")).hasSize(10);
    assertThat(bytes()).isLessThan(payload / 9);
    assertThat(read("SELECT id, payload FROM t LIMIT 1000")).hasSize(320);
    assertThat(read("SELECT id FROM t /*+ OPTIONS('scan.dp-ranks'='1') */ LIMIT 200")).hasSize(160);
  }

  @Test
  void thePlannerKnowsHowManyRowsThereAre() {
    String plan =
        sql.environment.explainSql(
            "SELECT id, payload FROM t WHERE step < 5",
            org.apache.flink.table.api.ExplainDetail.ESTIMATED_COST);
    assertThat(plan).containsPattern("TableSourceScan\\(.*rowcount ?= ?80\\.0");
  }

  /** 8 steps of one slice each, 8 rows of 210 kB. */
  private static Sql wide(String with) {
    Sql wide = Sql.batch();
    wide.table(
        "w",
        "id INT, caption STRING, payload STRING, step BIGINT METADATA VIRTUAL",
        "'mesh'='1x1', 'sink.batch.rows-per-slice'='8', 'sink.parallelism'='1',"
            + " 'sink.bundle.max-steps'='4', 'arrow.dictionaries'='false', "
            + with);
    wide.execute(
        "CREATE TEMPORARY TABLE numbers (id INT) WITH ('connector'='datagen',"
            + " 'fields.id.kind'='sequence', 'fields.id.start'='0', 'fields.id.end'='63', 'number-of-rows'='64')");
    wide.execute(
        "INSERT INTO w SELECT id, 'number ' || CAST(id AS STRING), REPEAT(CAST(id + 100 AS"
            + " STRING), 70000) FROM numbers");
    return wide;
  }

  private static final String NARROW = "SELECT SUM(id), MAX(caption) FROM w";
  private static final String NARROW_ANSWER = "+I[2016, number 9]";

  @Test
  void columnsOfWideSlicesAreFetchedByThemselves() {
    Sql wide = wide("'sink.compression'='none'");
    wide.store.log().clear();
    assertThat(wide.rows("SELECT COUNT(DISTINCT payload) FROM w WHERE id >= 0 AND caption <> ''"))
        .containsExactly("+I[64]");
    long all = wide.store.log().bytesDown("w/data/");
    assertThat(all).isGreaterThan(13_000_000);

    wide.store.log().clear();
    assertThat(wide.rows(NARROW)).containsExactly(NARROW_ANSWER);
    assertThat(wide.store.log().bytesDown("w/data/")).isLessThan(all / 50);
    assertThat(wide.store.log().count(Op.READ, "w/data/"))
        .as("of 2 objects the footer and the table; of 8 slices the end and the columns")
        .isLessThanOrEqualTo(2 * 2 + 8 * 2);
  }

  @Test
  void mostColumnsOfWideSlicesAreFetchedWhole() {
    Sql wide = wide("'sink.compression'='none'");
    wide.store.log().clear();
    assertThat(wide.rows("SELECT COUNT(DISTINCT payload) FROM w")).containsExactly("+I[64]");
    assertThat(wide.store.log().count(Op.READ, "w/data/")).isLessThanOrEqualTo(2 * 2 + 8 * 2);
  }

  @Test
  void compressedSlicesAreFetchedWhole() {
    Sql wide = wide("'sink.compression'='zstd'");
    assertThat(wide.rows(NARROW)).containsExactly(NARROW_ANSWER);
  }

  @Test
  void aDamagedColumnIsFetchedOnceMore() {
    Sql wide = wide("'sink.compression'='none'");
    AtomicInteger damaged = new AtomicInteger();
    wide.store
        .on(Op.READ, key -> key.startsWith("w/data/"))
        .answer(
            request ->
                request
                    .proceed()
                    .thenApply(
                        bytes -> {
                          ByteBuffer read = (ByteBuffer) bytes;
                          // Neither a footer, nor a table, nor the end of a slice.
                          if (read.remaining() < 1024 && damaged.getAndIncrement() == 5) {
                            read.put(0, (byte) ~read.get(0));
                          }
                          return read;
                        }));
    assertThat(wide.rows(NARROW)).containsExactly(NARROW_ANSWER);
    assertThat(damaged).hasValueGreaterThan(6);
  }
}
