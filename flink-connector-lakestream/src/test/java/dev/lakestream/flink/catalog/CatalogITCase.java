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
package dev.lakestream.flink.catalog;

import static dev.lakestream.flink.catalog.CatalogSession.TABLE;
import static dev.lakestream.flink.catalog.CatalogSession.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.PatientCluster;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The catalog as SQL sees it. */
class CatalogITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(4);

  @TempDir Path directory;

  private TableEnvironment sql;

  @BeforeEach
  void createCatalog() {
    sql = newSession();
  }

  private TableEnvironment newSession() {
    return CatalogSession.at(directory, new Configuration());
  }

  @Test
  void aTableIsWrittenAndReadBackByAnotherSessionWithoutBeingDeclaredAgain() throws Exception {
    sql.executeSql("CREATE DATABASE web COMMENT 'crawls'");
    sql.executeSql("CREATE TABLE web.pages " + TABLE);
    insertFive("web.pages");
    TableEnvironment other = newSession();
    assertThat(rows(other, "SHOW DATABASES")).containsExactly("+I[default]", "+I[web]");
    other.executeSql("USE web");
    assertThat(rows(other, "SHOW TABLES")).containsExactly("+I[pages]");
    assertThat(rows(other, "SELECT id FROM pages ORDER BY id"))
        .containsExactly("+I[0]", "+I[1]", "+I[2]", "+I[3]", "+I[4]");
    assertThat(rows(other, "SELECT at_step, COUNT(*) FROM pages GROUP BY at_step ORDER BY at_step"))
        .containsExactly("+I[0, 4]", "+I[1, 1]");
    assertThat(rows(other, "SHOW CREATE TABLE pages").toString())
        .contains("`id` BIGINT NOT NULL")
        .contains("METADATA FROM 'step' VIRTUAL")
        .contains("'mesh' = '2x1'");
  }

  @Test
  void metadataTablesSayWhatTheStreamSaysOfItself() throws Exception {
    sql.executeSql("CREATE TABLE t " + TABLE);
    insertFive("t");
    assertThat(rows(sql, "SELECT step, mesh, records, `sequence` FROM `t$batches` ORDER BY step"))
        .containsExactly("+I[0, 2x1, 4, 1]", "+I[1, 2x1, 1, 1]");
    assertThat(
            rows(sql, "SELECT version, operation, next_step FROM `t$manifests` ORDER BY version"))
        .containsExactly("+I[0, create, 0]", "+I[1, takeover, 0]", "+I[2, append, 2]");
    assertThat(rows(sql, "SELECT `sequence`, last_commit_version, next_step FROM `t$producers`"))
        .containsExactly("+I[1, 2, 2]");
    assertThat(rows(sql, "SELECT * FROM `t$watermarks`")).isEmpty();
    assertThat(rows(sql, "SELECT COUNT(*) FROM `t$tags`")).containsExactly("+I[0]");
    assertThatThrownBy(() -> sql.executeSql("INSERT INTO `t$tags` VALUES ('a', 1, 2, NOW(), '')"))
        .hasStackTraceContaining("cannot be written");
  }

  @Test
  void aTakedownLeavesTheStepAndTakesTheRow() throws Exception {
    sql.executeSql(
        "CREATE TABLE t "
            + TABLE.replace(
                "VIRTUAL)",
                "VIRTUAL, replica INT METADATA FROM 'dp_rank' VIRTUAL,"
                    + " record INT METADATA FROM 'record_index' VIRTUAL)"));
    insertFive("t");
    List<String> kept = rows(sql, "SELECT id FROM t ORDER BY id");
    String where = " WHERE at_step = 0 AND replica = 0 AND record = 1";
    kept.removeAll(rows(sql, "SELECT id FROM t" + where));
    assertThat(rows(sql, "CALL sys.takedown('t', 0, 0, 0, '1', 'request 17')"))
        .containsExactly(
            "+I[Took 1 records out of step 0 of t. Reclamation deletes the old bytes.]");
    assertThat(rows(sql, "SELECT id FROM t ORDER BY id")).isEqualTo(kept);
    assertThat(rows(sql, "SELECT COUNT(*) FROM t")).containsExactly("+I[4]");
    assertThat(rows(sql, "SELECT operation FROM `t$manifests` ORDER BY version"))
        .last()
        .isEqualTo("+I[takedown]");
    assertThat(rows(sql, "CALL sys.verify('t')")).first().asString().startsWith("+I[OK");
    assertThatThrownBy(() -> sql.executeSql("CALL sys.takedown('t', 0, 0, 0, '1', 'again')"))
        .hasStackTraceContaining("there is no row 1");
    assertThatThrownBy(() -> sql.executeSql("CALL sys.takedown('t', 0, 0, 0, '1;2', 'again')"))
        .hasStackTraceContaining("is no list of record indexes");
  }

  @Test
  void proceduresVerifyTagAndRetire() throws Exception {
    sql.executeSql("CREATE TABLE t " + TABLE);
    insertFive("t");
    assertThat(rows(sql, "CALL sys.verify('t')"))
        .first()
        .asString()
        .startsWith("+I[OK, SUMMARY, manifest 2, 2 steps in 1 bundles");
    assertThat(rows(sql, "CALL sys.tag('default.t', 'v1', 0, 2)"))
        .containsExactly("+I[Tag v1 holds steps 0 to 1 of default.t]");
    assertThat(rows(sql, "SELECT name, first_step, next_step FROM `t$tags`"))
        .containsExactly("+I[v1, 0, 2]");
    assertThatThrownBy(() -> sql.executeSql("CALL sys.tag('t', 'v1', 1, 2)"))
        .hasStackTraceContaining("There is a tag \"v1\"");
    assertThatThrownBy(() -> sql.executeSql("CALL sys.tag('t', 'v2', 1, 3)"))
        .hasStackTraceContaining("ends at step 2");
    assertThat(rows(sql, "CALL sys.untag('t', 'v1')"))
        .containsExactly("+I[Tag v1 of t is removed]");
    String producer =
        rows(sql, "SELECT producer_id FROM `t$producers`").get(0).replaceAll("^\\+I\\[|]$", "");
    assertThat(rows(sql, "CALL sys.retire_producer('t', '" + producer + "')"))
        .containsExactly("+I[Producer " + producer + " of t is retired]");
    assertThat(rows(sql, "SELECT * FROM `t$producers`")).isEmpty();
    assertThat(rows(sql, "SELECT COUNT(*) FROM t")).containsExactly("+I[5]");
    assertThat(rows(sql, "SHOW PROCEDURES FROM sys"))
        .containsExactlyInAnyOrder(
            "+I[reclaim]",
            "+I[retire_producer]",
            "+I[set_watermark]",
            "+I[tag]",
            "+I[takedown]",
            "+I[untag]",
            "+I[verify]");
  }

  @Test
  void proceduresReclaimWhatAWatermarkAllows() throws Exception {
    sql.executeSql("CREATE TABLE t " + TABLE);
    insertFive("t");
    insertFive("t");
    assertThat(rows(sql, "CALL sys.reclaim('t')"))
        .containsExactly("+I[DONE, 0, 0, steps 0 to 3 are held, by nobody]");
    assertThat(rows(sql, "CALL sys.set_watermark('t', 'train', 2)"))
        .containsExactly("+I[Group train of t stands at step 2 (generation 0)]");
    assertThatThrownBy(() -> sql.executeSql("CALL sys.set_watermark('t', 'train', 5)"))
        .hasStackTraceContaining("ends at 4");
    List<String> dry = rows(sql, "CALL sys.reclaim('t', true)");
    assertThat(dry.get(0))
        .startsWith("+I[DRY RUN, 1, ")
        .contains("steps 2 to 3 are held, by rank 0 of group \"train\"");
    assertThat(dry.get(1)).startsWith("+I[BUNDLE, 1, ");
    assertThat(rows(sql, "SELECT COUNT(*) FROM t")).containsExactly("+I[10]");
    assertThat(rows(sql, "CALL sys.reclaim('t', false)").get(0)).startsWith("+I[DONE, 1, ");
    assertThat(rows(sql, "SELECT COUNT(*) FROM t")).containsExactly("+I[5]");
    assertThat(rows(sql, "CALL sys.reclaim('t', false, 4)").get(0)).startsWith("+I[DONE, 0, ");
    assertThat(rows(sql, "CALL sys.verify('t')")).first().asString().startsWith("+I[OK");
  }

  @Test
  void aDamagedBundleIsFoundByTheProcedure() throws Exception {
    sql.executeSql("CREATE TABLE t " + TABLE);
    insertFive("t");
    Path bundle;
    try (Stream<Path> files = Files.walk(directory)) {
      bundle = files.filter(file -> file.toString().endsWith(".bundle")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(bundle);
    bytes[bytes.length / 2] ^= 1;
    Files.write(bundle, bytes);
    assertThat(rows(sql, "CALL sys.verify('t')"))
        .anyMatch(row -> row.startsWith("+I[DAMAGED, SUMMARY"))
        .anyMatch(row -> row.startsWith("+I[ERROR, BUNDLES, data/"));
  }

  @Test
  void creatingOneTableFromManySessionsAtOnceMakesOneStream() throws Exception {
    int sessions = 6;
    List<TableEnvironment> environments = new ArrayList<>();
    for (int i = 0; i < sessions; i++) {
      environments.add(newSession());
    }
    ExecutorService threads = Executors.newFixedThreadPool(sessions);
    try {
      List<Future<Boolean>> created = new ArrayList<>();
      for (TableEnvironment session : environments) {
        created.add(
            threads.submit(
                () -> {
                  try {
                    session.executeSql("CREATE TABLE once " + TABLE);
                    return true;
                  } catch (RuntimeException exists) {
                    assertThat(exists).hasStackTraceContaining("exist");
                    return false;
                  }
                }));
      }
      int winners = 0;
      for (Future<Boolean> one : created) {
        winners += one.get() ? 1 : 0;
      }
      assertThat(winners).isEqualTo(1);
    } finally {
      threads.shutdownNow();
    }
    sql.executeSql("CREATE TABLE IF NOT EXISTS once " + TABLE);
    insertFive("once");
    assertThat(rows(sql, "SELECT COUNT(*) FROM once")).containsExactly("+I[5]");
  }

  @Test
  void aDroppedTableIsGoneAndItsNameIsFree() throws Exception {
    sql.executeSql("CREATE TABLE t " + TABLE);
    insertFive("t");
    sql.executeSql("DROP TABLE t");
    assertThat(rows(sql, "SHOW TABLES")).isEmpty();
    sql.executeSql("CREATE TABLE t " + TABLE);
    assertThat(rows(sql, "SELECT COUNT(*) FROM t")).containsExactly("+I[0]");
    sql.executeSql("DROP TABLE t");
    assertThatThrownBy(() -> sql.executeSql("DROP TABLE t")).hasStackTraceContaining("t");
    sql.executeSql("DROP TABLE IF EXISTS t");
    sql.executeSql("CREATE DATABASE d");
    sql.executeSql("CREATE TABLE d.u " + TABLE);
    assertThatThrownBy(() -> sql.executeSql("DROP DATABASE d")).hasStackTraceContaining("d");
    sql.executeSql("DROP DATABASE d CASCADE");
    assertThat(rows(sql, "SHOW DATABASES")).containsExactly("+I[default]");
  }

  @Test
  void likeCopiesATableAndHintsChangeOneQuery() throws Exception {
    sql.executeSql("CREATE TABLE t " + TABLE);
    sql.executeSql("CREATE TABLE u WITH ('sink.batch.rows-per-slice' = '1') LIKE t");
    insertFive("u /*+ OPTIONS('sink.bundle.max-steps' = '1') */");
    assertThat(rows(sql, "SELECT step, records FROM `u$batches` ORDER BY step"))
        .containsExactly("+I[0, 2]", "+I[1, 2]", "+I[2, 1]");
    assertThat(rows(sql, "SELECT COUNT(DISTINCT bundle) FROM `u$batches`"))
        .containsExactly("+I[3]");
  }

  @Test
  void proceduresReachNamesWithDotsInBackquotes() throws Exception {
    sql.executeSql("CREATE DATABASE `crawl.2026`");
    sql.executeSql("CREATE TABLE `crawl.2026`.`pages.v1` " + TABLE);
    sql.executeSql("CREATE TABLE `pages.v2` " + TABLE);
    assertThat(rows(sql, "CALL sys.verify('`crawl.2026`.`pages.v1`')"))
        .first()
        .asString()
        .startsWith("+I[OK");
    assertThat(rows(sql, "CALL sys.verify('`pages.v2`')")).first().asString().startsWith("+I[OK");
  }

  @Test
  void aStreamThatAJobCreatedIsATableToo() throws Exception {
    try (ObjectStore store =
        Stores.open(directory.resolve("warehouse").toString(), Map.of("file.sync", "false"))) {
      sql.executeSql("CREATE DATABASE jobs");
    }
    try (ObjectStore store =
        Stores.open(directory.resolve("warehouse/jobs/texts").toString(), Map.of())) {
      TrainingStream.openOrCreate(store, StreamInfo.create(new Mesh(1, 1), "records"));
    }
    assertThat(rows(sql, "SELECT COUNT(*) FROM jobs.texts")).containsExactly("+I[0]");
    assertThat(rows(sql, "DESCRIBE jobs.texts")).singleElement().asString().contains("payload");
  }

  private void insertFive(String table) throws Exception {
    sql.executeSql(
            "INSERT INTO "
                + table
                + " VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd'), (4, CAST(NULL AS STRING))")
        .await();
  }
}
