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
package dev.lakestream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code training-stream.sql}, which README.md shows a part of, statement by statement. */
class SqlExampleITCase {

  private static final int ROWS = 200;

  @TempDir Path directory;

  @Test
  void theStatementsOfTheExampleRunAndAnswerWhatTheModelSaw() throws Exception {
    TableEnvironment sql = TableEnvironment.create(EnvironmentSettings.inBatchMode());
    sql.executeSql(
        "CREATE TEMPORARY TABLE crawl (id BIGINT, caption STRING, payload BYTES) WITH ("
            + "'connector' = 'datagen', 'number-of-rows' = '"
            + ROWS
            + "', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '"
            + ROWS
            + "')");
    List<List<Row>> answers = new ArrayList<>();
    for (String statement : statements()) {
      TableResult result = sql.executeSql(statement);
      List<Row> answer = new ArrayList<>();
      if (statement.startsWith("INSERT")) {
        result.await();
      } else {
        try (CloseableIterator<Row> rows = result.collect()) {
          rows.forEachRemaining(answer::add);
        }
      }
      answers.add(answer);
    }
    List<Row> seen = answers.get(4);
    assertThat(seen).hasSize(2 * 4 * 8);
    assertThat(seen).extracting(row -> row.getField(0)).containsOnly(2L, 3L);
    assertThat(seen).extracting(row -> row.getField(1)).containsOnly(0, 1, 2, 3);
    List<Row> batches = answers.get(5);
    assertThat(batches.stream().mapToLong(row -> (Long) row.getField(1)).sum()).isEqualTo(ROWS);
    assertThat(answers.get(6).get(0).getField(0)).isEqualTo("OK");
  }

  private List<String> statements() throws IOException {
    String script = Files.readString(Path.of("src", "main", "sql", "training-stream.sql"));
    String here =
        script.replace("file:///data/warehouse", directory.resolve("warehouse").toString());
    List<String> statements = new ArrayList<>();
    for (String statement : here.replaceAll("(?m)--.*$", "").split(";", -1)) {
      if (!statement.isBlank()) {
        statements.add(statement.strip());
      }
    }
    return statements;
  }
}
