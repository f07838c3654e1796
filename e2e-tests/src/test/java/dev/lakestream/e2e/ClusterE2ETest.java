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
package dev.lakestream.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.lakestream.TestForm;
import dev.lakestream.manifest.Manifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows from files to a stream and back, by jobs that are killed, stopped and rescaled. */
class ClusterE2ETest {

  private static final int ROWS_PER_SLICE = 8;
  private static final int ROWS_PER_STEP = 2 * ROWS_PER_SLICE;

  /** So much the test does of everything. */
  private static final Scale SCALE = TestForm.isLong() ? new Scale(400, 10) : new Scale(50, 1);

  /**
   * @param rowsInFile of the input
   * @param kills one after the other
   */
  private record Scale(int rowsInFile, int kills) {}

  @RegisterExtension static final ClusterOnS3 LAKE = new ClusterOnS3();

  @Test
  void everyRowOnceThroughAKillASavepointAndAnotherParallelism() throws IOException {
    try (RawFiles raw = new RawFiles(LAKE.s3().open("raw"), SCALE.rowsInFile());
        SqlGatewayClient.Session session = LAKE.session()) {
      session.execute(RawFiles.table(LAKE.s3().address("raw"), "'source.monitor-interval'='1 s'"));
      session.execute(
          "CREATE TABLE docs ("
              + RawFiles.COLUMNS
              + ", step BIGINT METADATA VIRTUAL, dp_rank INT METADATA VIRTUAL) WITH"
              + " ('mesh'='2x1', 'sink.batch.rows-per-slice'='"
              + ROWS_PER_SLICE
              + "', 'sink.bundle.target-size'='8 mb', 'sink.buffer-memory'='32 mb', 'scan.fetch.memory'='16 mb')");
      raw.add(4);

      String first = insert(session, 2, "zstd");
      awaitPublished(first, raw.rows(), 2);
      for (int i = 0; i < SCALE.kills(); i++) {
        killInMidJob(first, raw);
      }
      awaitPublished(first, raw.rows(), 2);
      String savepoint = stop(session, first, "WITH SAVEPOINT");
      assertThat(savepoint).startsWith(LAKE.s3().address("savepoints"));

      raw.add(4);
      session.set("execution.state-recovery.path", savepoint);
      String second = insert(session, 3, "lz4");
      raw.add(4);
      awaitPublished(second, raw.rows(), 3);
      assertThat(rest().restoredCheckpoints(second)).isEqualTo(1);
      stop(session, second, "WITH SAVEPOINT WITH DRAIN"); // also what fills no batch
      session.execute("RESET 'execution.state-recovery.path'");

      session.set("execution.runtime-mode", "batch");
      session.set("parallelism.default", "2");
      readBack(session, raw);
    }
    assertThat(filesThatHold(LAKE.s3().options().get("s3.secret-key"))).isEmpty();
  }

  private static String insert(
      SqlGatewayClient.Session session, int parallelism, String compression) {
    session.set("parallelism.default", String.valueOf(parallelism));
    String job =
        session
            .execute(
                "INSERT INTO docs /*+ OPTIONS('sink.compression'='"
                    + compression
                    + "') */ SELECT id, caption, tags FROM raw_files")
            .jobId();
    assertThat(job).isNotEmpty();
    return job;
  }

  /** With rows on the way: some fed just before, and more while the job is down. */
  private static void killInMidJob(String job, RawFiles raw) {
    int restored = rest().restoredCheckpoints(job);
    int completed = rest().completedCheckpoints(job);
    raw.add(2);
    LAKE.await(job, "a checkpoint", () -> rest().completedCheckpoints(job) > completed);
    raw.add(4);
    LAKE.cluster().killTaskManager(rest().taskManagersOf(job).iterator().next());
    LAKE.cluster().startTaskManager();
    raw.add(2);
    LAKE.await(
        job,
        "the restored job",
        () -> rest().restoredCheckpoints(job) > restored && rest().runsWhole(job));
  }

  /** Until so many rows are in the stream that no writer can hold a full batch back. */
  private static void awaitPublished(String job, long rows, int writers) {
    long least = rows - (long) writers * (ROWS_PER_STEP - 1);
    LAKE.await(
        job, "at least " + least + " rows in the stream", () -> newest().totalRecords() >= least);
    assertThat(newest().totalRecords()).isLessThanOrEqualTo(rows);
  }

  private static FlinkRest rest() {
    return LAKE.cluster().rest();
  }

  private static Manifest newest() {
    return LAKE.newest("docs");
  }

  private static String stop(SqlGatewayClient.Session session, String job, String how) {
    String savepoint = session.execute("STOP JOB '" + job + "' " + how).only().asText();
    LAKE.awaitEnd(job);
    return savepoint;
  }

  private static void readBack(SqlGatewayClient.Session session, RawFiles raw) {
    Map<Long, TreeSet<Long>> idsOfSteps = new TreeMap<>();
    List<Map<String, JsonNode>> rows =
        session.execute("SELECT id, caption, tags, step FROM docs").rows();
    for (Map<String, JsonNode> row : rows) {
      idsOfSteps
          .computeIfAbsent(row.get("step").asLong(), step -> new TreeSet<>())
          .add(row.get("id").asLong());
    }
    assertThat(rows)
        .extracting(row -> RawFiles.text(row.get("id"), row.get("caption"), row.get("tags")))
        .containsExactlyInAnyOrderElementsOf(raw.expected());
    long steps = newest().nextStep();
    assertThat(idsOfSteps.keySet()).hasSize((int) steps).contains(0L, steps - 1);

    long from = steps / 3;
    long to = from + steps / 4;
    Map<Long, TreeSet<Long>> replayed = new TreeMap<>();
    session
        .execute("SELECT step, id FROM docs WHERE step BETWEEN " + from + " AND " + to)
        .rows()
        .forEach(
            row ->
                replayed
                    .computeIfAbsent(row.get("step").asLong(), step -> new TreeSet<>())
                    .add(row.get("id").asLong()));
    Map<Long, TreeSet<Long>> wanted = new TreeMap<>(idsOfSteps);
    wanted.keySet().removeIf(step -> step < from || step > to);
    assertThat(replayed).isEqualTo(wanted);

    assertThat(session.execute("SELECT COUNT(*) FROM docs").only().asLong()).isEqualTo(raw.rows());
    Map<String, JsonNode> batches =
        session
            .execute("SELECT COUNT(*) AS steps, SUM(records) AS records FROM `docs$batches`")
            .rows()
            .get(0);
    assertThat(batches.get("steps").asLong()).isEqualTo(steps);
    assertThat(batches.get("records").asLong()).isEqualTo(raw.rows());
    assertThat(session.execute("CALL sys.verify('docs')").rows().get(0).get("severity").asText())
        .isEqualTo("OK");
  }

  private static List<Path> filesThatHold(String secret) throws IOException {
    byte[] wanted = secret.getBytes(StandardCharsets.UTF_8);
    try (Stream<Path> logs = Files.list(LAKE.cluster().logs())) {
      return logs.filter(
              log -> {
                try {
                  return Files.readString(log, StandardCharsets.ISO_8859_1)
                      .contains(new String(wanted, StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              })
          .toList();
    }
  }
}
