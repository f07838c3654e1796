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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.lakestream.flink.PatientCluster;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.CollectionUtil;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Field fault: a table is dropped, and made anew, while jobs write and read it. */
class DroppedTableITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(8);

  private static final String TABLE =
      "CREATE TABLE t (id BIGINT) WITH ('mesh' = '1x1', 'sink.batch.rows-per-slice' = '4',"
          + " 'scan.discovery-interval' = '50 ms')";

  @TempDir Path directory;

  private TableEnvironment streaming;
  private TableEnvironment batch;

  @BeforeEach
  void create() {
    streaming = session(EnvironmentSettings.inStreamingMode());
    streaming.getConfig().set("execution.checkpointing.interval", "100 ms");
    streaming.getConfig().set("parallelism.default", "2");
    batch = session(EnvironmentSettings.inBatchMode());
    streaming.executeSql(TABLE);
    streaming.executeSql(
        "CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen',"
            + " 'rows-per-second' = '200')");
  }

  private TableEnvironment session(EnvironmentSettings settings) {
    TableEnvironment session = TableEnvironment.create(settings);
    session.executeSql(
        "CREATE CATALOG lake WITH ('type' = 'lakestream', 'warehouse' = '"
            + directory.resolve("warehouse")
            + "', 'file.sync' = 'false')");
    session.executeSql("USE CATALOG lake");
    return session;
  }

  private long count() throws Exception {
    try (CloseableIterator<Row> rows = batch.executeSql("SELECT COUNT(*) FROM t").collect()) {
      return (Long) CollectionUtil.iteratorToList(rows).get(0).getField(0);
    }
  }

  private JobClient write() {
    JobClient job =
        streaming.executeSql("INSERT INTO t SELECT id FROM numbers").getJobClient().orElseThrow();
    await()
        .pollInSameThread() // the planner knows its thread
        .atMost(Duration.ofSeconds(60))
        .failFast(() -> job.getJobStatus().join().isGloballyTerminalState())
        .until(() -> count() > 0);
    return job;
  }

  private static String failure(JobClient job) throws Exception {
    try {
      job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(job.getJobStatus().join()).isEqualTo(JobStatus.FAILED);
      return ExceptionUtils.stringifyException(e);
    }
    throw new AssertionError("The job finished.");
  }

  @Test
  void aJobThatWritesIsToldAndTheNextTableIsWhole() throws Exception {
    JobClient job = write();
    batch.executeSql("DROP TABLE t");
    batch.executeSql(TABLE);
    assertThat(failure(job)).contains(StreamDroppedException.class.getName(), "SuppressRestarts");
    assertThat(count()).isZero();
    batch.executeSql("INSERT INTO t VALUES (1), (2), (3)").await();
    assertThat(count()).isEqualTo(3);
    try (CloseableIterator<Row> verified = batch.executeSql("CALL sys.verify('t')").collect()) {
      List<Row> found = CollectionUtil.iteratorToList(verified);
      assertThat(found.get(0).getField(0)).isEqualTo("OK");
    }
  }

  @Test
  void aJobThatReadsIsTold() throws Exception {
    batch.executeSql("INSERT INTO t VALUES (1), (2), (3)").await();
    try (CloseableIterator<Row> rows = streaming.executeSql("SELECT id FROM t").collect()) {
      assertThat(rows.hasNext()).isTrue();
      JobClient job = write();
      batch.executeSql("DROP TABLE t");
      assertThat(failure(job)).contains(StreamDroppedException.class.getName());
      assertThat(drain(rows))
          .containsAnyOf(
              StreamDroppedException.class.getName(), StreamNotFoundException.class.getName());
    }
  }

  private static String drain(CloseableIterator<Row> rows) {
    try {
      while (rows.hasNext()) {
        rows.next();
      }
      return "the end";
    } catch (RuntimeException e) {
      return ExceptionUtils.stringifyException(e);
    }
  }
}
