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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** Batch sessions with the catalog {@code lake}, and what queries in them answer. */
final class CatalogSession {

  /** What follows the name of a table in its CREATE. */
  static final String TABLE =
      "(id BIGINT NOT NULL, caption STRING, at_step BIGINT METADATA FROM 'step' VIRTUAL)"
          + " WITH ('mesh' = '2x1', 'sink.batch.rows-per-slice' = '2', 'sink.parallelism' = '1')";

  private CatalogSession() {}

  /**
   * @param directory that holds the warehouse
   */
  static TableEnvironment at(Path directory, Configuration configuration) {
    TableEnvironment session =
        TableEnvironment.create(
            EnvironmentSettings.newInstance()
                .inBatchMode()
                .withConfiguration(configuration)
                .build());
    session.executeSql(
        "CREATE CATALOG lake WITH ('type' = 'lakestream', 'warehouse' = '"
            + directory.resolve("warehouse")
            + "', 'file.sync' = 'false', 's3.secret-key' = 'do not show')");
    session.executeSql("USE CATALOG lake");
    return session;
  }

  static List<String> rows(TableEnvironment session, String query) throws Exception {
    List<String> found = new ArrayList<>();
    try (CloseableIterator<Row> rows = session.executeSql(query).collect()) {
      rows.forEachRemaining(row -> found.add(row.toString()));
    }
    return found;
  }
}
