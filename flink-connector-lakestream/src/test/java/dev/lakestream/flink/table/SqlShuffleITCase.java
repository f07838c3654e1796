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

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The options of a seeded shuffle, in jobs. */
class SqlShuffleITCase {

  private static final int ROWS = 200;

  private final Sql sql = Sql.batch();

  SqlShuffleITCase() {
    sql.execute(
        "CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector'='datagen',"
            + " 'fields.id.kind'='sequence', 'fields.id.start'='0', 'fields.id.end'='"
            + (ROWS - 1)
            + "', 'number-of-rows'='"
            + ROWS
            + "')");
    // In the order of the numbers, whatever the default parallelism.
    sql.set("parallelism.default", "1");
  }

  @Test
  void aSeedGivesOneOrderAndAnotherSeedAnother() {
    List<String> inOrder = steps("plain", "");
    List<String> seven = steps("seven", ", 'sink.shuffle.buffer'='50', 'sink.shuffle.seed'='7'");
    List<String> again = steps("again", ", 'sink.shuffle.buffer'='50', 'sink.shuffle.seed'='7'");
    List<String> eight = steps("eight", ", 'sink.shuffle.buffer'='50', 'sink.shuffle.seed'='8'");

    assertThat(inOrder)
        .isEqualTo(Stream.iterate(0, id -> id + 1).limit(ROWS).map(this::row).toList());
    assertThat(seven)
        .isEqualTo(again)
        .isNotEqualTo(inOrder)
        .isNotEqualTo(eight)
        .containsExactlyInAnyOrderElementsOf(inOrder);
  }

  private String row(int id) {
    return "+I[" + id + "]";
  }

  /** Ids in the order of the steps: each step holds one. */
  private List<String> steps(String table, String shuffle) {
    sql.table(
        table,
        "id BIGINT, s BIGINT METADATA FROM 'step' VIRTUAL",
        "'mesh'='1x1', 'sink.batch.rows-per-slice'='1'" + shuffle);
    sql.execute("INSERT INTO " + table + " SELECT id FROM numbers");
    return sql.rows("SELECT id FROM " + table + " ORDER BY s");
  }
}
