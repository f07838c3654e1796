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

import dev.lakestream.flink.PatientCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the catalog does not take, does not mind and does not keep. */
class CatalogRefusalITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(4);

  @TempDir Path directory;

  private TableEnvironment sql;

  @BeforeEach
  void createCatalog() {
    sql = CatalogSession.at(directory, new Configuration());
  }

  @Test
  void whatCannotBeATableIsRefusedWithTheReason() throws Exception {
    assertThatThrownBy(() -> sql.executeSql("CREATE TABLE t (id BIGINT)"))
        .hasStackTraceContaining("needs a 'mesh'");
    assertThatThrownBy(() -> sql.executeSql("CREATE TABLE `a/b` " + TABLE))
        .hasStackTraceContaining("cannot be the name");
    assertThatThrownBy(
            () -> sql.executeSql("CREATE TABLE t (id BIGINT) WITH ('connector' = 'print')"))
        .hasStackTraceContaining("CREATE TEMPORARY TABLE");
    assertThatThrownBy(
            () -> sql.executeSql("CREATE TABLE t (id BIGINT) WITH ('path' = '/x', 'mesh' = '1x1')"))
        .hasStackTraceContaining("leave the option out");
    assertThatThrownBy(
            () -> sql.executeSql("CREATE TABLE t (id BIGINT) WITH ('mesh' = '1x1', 'mush' = '1')"))
        .hasStackTraceContaining("mush");
    assertThatThrownBy(() -> sql.executeSql("SELECT * FROM `nothing$batches`"))
        .hasStackTraceContaining("nothing$batches");
    assertThatThrownBy(() -> sql.executeSql("CREATE CATALOG c WITH ('type' = 'lakestream')"))
        .hasStackTraceContaining("warehouse");
    assertThat(rows(sql, "SHOW TABLES")).isEmpty();
  }

  /** Field fault: the cluster sets more of its own file systems than a stream's store knows. */
  @Test
  void optionsOfOtherFileSystemsInTheConfigurationConcernNoTable() throws Exception {
    Configuration cluster = new Configuration();
    cluster.setString("s3.upload.max.concurrent.uploads", "4");
    cluster.setString("s3.entropy.key", "_entropy_");
    cluster.setString("s3.path.style.access", "true");
    TableEnvironment session = CatalogSession.at(directory, cluster);
    session.executeSql("CREATE TABLE t " + TABLE);
    session.executeSql("INSERT INTO t VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd')").await();
    assertThat(rows(session, "SELECT COUNT(*) FROM t")).containsExactly("+I[4]");
    assertThat(rows(session, "SELECT COUNT(*) FROM `t$batches`")).containsExactly("+I[1]");
    assertThatThrownBy(
            () ->
                session.executeSql(
                    "CREATE CATALOG other WITH ('type' = 'lakestream', 'warehouse' = '"
                        + directory
                        + "', 's3.entropy.key' = 'x')"))
        .hasStackTraceContaining("Unsupported option 's3.entropy.key' of the store");
  }

  /** Field fault: a table that can only be dropped again. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "id BIGINT|'scan.startup.mode' = 'step'|needs 'scan.startup.step'",
        "id BIGINT|'scan.bounded.step' = '3'|does not use it",
        "id BIGINT|'sink.batch.rows-per-slice' = '0'|must be 1 or more",
        "id BIGINT|'sink.upload-parallelism' = '0'|parallel uploads",
        "id BIGINT|'sink.delivery-guarantee' = 'none'|there is no 'none'",
        "id BIGINT|'sink.linger' = '1 s'|at-least-once",
        "id BIGINT|'retry.max-elapsed' = 'soon'|retry.max-elapsed",
        "id BIGINT, b BIGINT|'format' = 'raw'|raw",
        "id BIGINT, x INT METADATA FROM 'no_such_key' VIRTUAL|'file.sync' = 'false'|no_such_key",
        "id BIGINT, x INT METADATA FROM 'no_such_key' VIRTUAL|'file.sync' = 'false'|record_index",
        "id BIGINT, step BIGINT METADATA|'file.sync' = 'false'|cannot be written",
        "id BIGINT, cp_rank INT METADATA|'file.sync' = 'false'|and not 'dp_rank'",
        "id BIGINT, step MAP<INT, INT> METADATA VIRTUAL|'file.sync' = 'false'|Invalid data type"
      })
  void whatPlanningWouldRefuseIsNotStored(String columns, String with, String message)
      throws Exception {
    assertThatThrownBy(
            () ->
                sql.executeSql(
                    "CREATE TABLE t (" + columns + ") WITH ('mesh' = '2x1', " + with + ")"))
        .hasStackTraceContaining(message);
    assertThat(rows(sql, "SHOW TABLES")).isEmpty();
  }

  @Test
  void secretsAreNeitherPrintedNorStored() throws Exception {
    sql.executeSql(
        "CREATE TABLE t (id BIGINT) WITH ('mesh' = '1x1', 's3.secret-key' = 'do not show')");
    assertThat(rows(sql, "SHOW CREATE TABLE t").toString()).doesNotContain("do not show");
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .doesNotContain("do not show");
      }
    }
  }
}
