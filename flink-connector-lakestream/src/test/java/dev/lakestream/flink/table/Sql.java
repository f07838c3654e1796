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

import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** SQL against streams in a store of its own, whose requests are counted. */
final class Sql {

  private static final AtomicInteger STORES = new AtomicInteger();

  final TableEnvironment environment;
  final FaultyStore store;
  private final String name;

  private Sql(EnvironmentSettings settings, String name) {
    environment = TableEnvironment.create(settings);
    environment.getConfig().set(CoreOptions.DEFAULT_PARALLELISM, 2);
    environment.getConfig().set("table.local-time-zone", "UTC");
    this.name = name;
    store = MemoryStores.makeFaulty(name);
  }

  static Sql batch() {
    return batch(new Configuration());
  }

  static Sql batch(Configuration configuration) {
    return new Sql(
        EnvironmentSettings.newInstance().inBatchMode().withConfiguration(configuration).build(),
        "sql" + STORES.incrementAndGet());
  }

  /** Another session, in batch mode, over the store of this one. */
  Sql anotherSession() {
    return new Sql(EnvironmentSettings.newInstance().inBatchMode().build(), name);
  }

  static Sql streaming() {
    return streaming("sql" + STORES.incrementAndGet());
  }

  /** Another session, in streaming mode, over the store of this one. */
  Sql streamingSession() {
    return streaming(name);
  }

  private static Sql streaming(String name) {
    Sql sql = new Sql(EnvironmentSettings.newInstance().inStreamingMode().build(), name);
    sql.set("execution.checkpointing.interval", "50 ms");
    return sql;
  }

  void set(String option, String value) {
    environment.getConfig().set(option, value);
  }

  /** The address of a stream. */
  String path(String stream) {
    return "mem://" + name + "/" + stream;
  }

  /**
   * @param with further options: 'a'='b', …; may be empty
   */
  void table(String table, String columns, String with) {
    execute(
        "CREATE TABLE "
            + table
            + " ("
            + columns
            + ") WITH ('connector'='lakestream', 'path'='"
            + path(table)
            + "'"
            + (with.isEmpty() ? "" : ", " + with)
            + ")");
  }

  /** Waits until it has finished. */
  void execute(String statement) {
    try {
      environment.executeSql(statement).await();
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new AssertionError(statement, e);
    }
  }

  /** All rows, as text, in the order in which they come. */
  List<String> rows(String query) {
    List<String> rows = new ArrayList<>();
    for (Row row : results(query)) {
      rows.add(row.toString());
    }
    return rows;
  }

  /** All rows, as text, sorted. */
  List<String> sorted(String query) {
    return rows(query).stream().sorted().toList();
  }

  List<Row> results(String query) {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> results = environment.executeSql(query).collect()) {
      results.forEachRemaining(rows::add);
    } catch (Exception e) {
      throw new AssertionError(query, e);
    }
    return rows;
  }

  String plan(String query) {
    return environment.explainSql(query);
  }
}
