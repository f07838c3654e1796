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

/** Runs the scripts of which README.md and docs show parts, statement by statement. */
class SqlExampleITCase {

  private static final int ROWS = 200;

  @TempDir Path directory;

  @Test
  void theStatementsOfTheExampleRunAndAnswerWhatTheModelSaw() throws Exception {
    List<List<Row>> answers =
        answers(
            "crawl (id BIGINT, caption STRING, payload BYTES)",
            script("training-stream.sql")
                .replace("file:///data/warehouse", directory.resolve("warehouse").toString()));
    List<Row> seen = answers.get(4);
    assertThat(seen).hasSize(2 * 4 * 8);
    assertThat(seen).extracting(row -> row.getField(0)).containsOnly(2L, 3L);
    assertThat(seen).extracting(row -> row.getField(1)).containsOnly(0, 1, 2, 3);
    List<Row> batches = answers.get(5);
    assertThat(batches.stream().mapToLong(row -> (Long) row.getField(1)).sum()).isEqualTo(ROWS);
    assertThat(answers.get(6).get(0).getField(0)).isEqualTo("OK");
  }

  @Test
  void aTableWithoutACatalogAnswersWhatTheModelSawAtAStep() throws Exception {
    List<List<Row>> answers =
        answers(
            "samples (id BIGINT NOT NULL, caption STRING, image BYTES)",
            script("batches.sql")
                .replace("s3://bucket/streams/captions", directory.resolve("stream").toString())
                .replace("81200", "0"));
    assertThat(answers.get(2))
        .hasSize(8 * 16)
        .extracting(row -> row.getField(0))
        .containsOnly(0, 1, 2, 3, 4, 5, 6, 7);
  }

  @Test
  void aCatalogShowsTheBatchesOfATable() throws Exception {
    List<List<Row>> answers =
        answers(
            "samples (id BIGINT NOT NULL, caption STRING)",
            script("catalog.sql")
                .replace("s3://bucket/warehouse", directory.resolve("warehouse").toString())
                .replace("81200", "0"));
    List<Row> batches = answers.get(answers.size() - 1);
    assertThat(batches).isNotEmpty();
    assertThat(batches.stream().mapToLong(row -> (Long) row.getField(1)).sum()).isEqualTo(ROWS);
  }

  /**
   * Of each statement.
   *
   * @param input name and columns of the table that is read
   */
  private static List<List<Row>> answers(String input, String script) throws Exception {
    TableEnvironment sql = TableEnvironment.create(EnvironmentSettings.inBatchMode());
    sql.executeSql(
        "CREATE TEMPORARY TABLE "
            + input
            + " WITH ('connector' = 'datagen', 'number-of-rows' = '"
            + ROWS
            + "', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1', 'fields.id.end' = '"
            + ROWS
            + "')");
    List<List<Row>> answers = new ArrayList<>();
    for (String statement : statements(script)) {
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
    return answers;
  }

  private static String script(String name) throws IOException {
    return Files.readString(Path.of("src", "main", "sql", name));
  }

  private static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    for (String statement : script.replaceAll("(?m)--.*$", "").split(";", -1)) {
      if (!statement.isBlank()) {
        statements.add(statement.strip());
      }
    }
    return statements;
  }
}
