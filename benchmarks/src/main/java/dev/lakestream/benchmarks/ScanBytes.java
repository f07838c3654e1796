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
package dev.lakestream.benchmarks;

import java.nio.file.Path;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/**
 * What a query of some of a table fetches, against one of all of it, in bytes: counts, which do not
 * depend on the machine. The rows have a number, a caption and 100 kB that do not compress; slices
 * of 16 of them, for 4 ranks.
 */
final class ScanBytes {

  private static final String LOG = "scan-bytes";
  private static final int ROWS = 1024;

  private final TableEnvironment environment =
      TableEnvironment.create(EnvironmentSettings.newInstance().inBatchMode().build());

  private ScanBytes(Path directory) throws Exception {
    run(
        "CREATE TABLE t (id INT, caption STRING, payload STRING, dp_rank INT METADATA VIRTUAL)"
            + " WITH ('connector'='lakestream', 'path'='logged://"
            + LOG
            + directory
            + "', 'mesh'='4x1', 'sink.batch.rows-per-slice'='16', 'sink.parallelism'='1')");
    run(
        "CREATE TEMPORARY TABLE numbers (id INT, payload STRING) WITH ('connector'='datagen',"
            + " 'fields.payload.length'='100000', 'fields.id.kind'='sequence',"
            + " 'fields.id.start'='1', 'fields.id.end'='"
            + ROWS
            + "', 'number-of-rows'='"
            + ROWS
            + "')");
    run("INSERT INTO t SELECT id, 'caption ' || CAST(id AS STRING), payload FROM numbers");
  }

  static void measure(Result result, Path directory) throws Exception {
    ScanBytes table = new ScanBytes(directory);
    double all = table.bytes("SELECT SUM(id), MAX(caption), MAX(payload) FROM t");
    double column = table.bytes("SELECT SUM(id) FROM t") / all;
    double rank = table.bytes("SELECT SUM(id), MAX(payload) FROM t WHERE dp_rank = 2") / all;
    System.out.printf(
        "  bytes of all %,.0f; of one narrow column %.4f, of one rank of four %.3f%n",
        all, column, rank);
    result.with("bytes_ratio_one_column", column).with("bytes_ratio_one_rank", rank);
  }

  private void run(String statement) throws Exception {
    environment.executeSql(statement).await();
  }

  private long bytes(String query) throws Exception {
    LoggedStores.log(LOG).clear();
    run(query);
    return LoggedStores.log(LOG).bytes();
  }
}
