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

import dev.lakestream.manifest.Manifest;
import dev.lakestream.retention.Watermarks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One stream is replayed into another, and a TaskManager is killed before all has been read. */
class ReplayE2ETest {

  private static final int PARALLELISM = 3;

  /** So many bundles the enumerator knows of that no reader has; a reader has up to 16. */
  private static final int PENDING = 8;

  private static final int FILES = 8;
  private static final int ROWS_IN_FILE = 200;

  /** A bundle has one step, and a step 8 rows. */
  private static final String LAYOUT =
      "'mesh'='2x1', 'sink.batch.rows-per-slice'='4', 'sink.bundle.max-steps'='1'";

  private static final String GROUP = "replay";

  @RegisterExtension static final ClusterOnS3 LAKE = new ClusterOnS3();

  @Test
  void aReplayWhoseReadersDieWithSplitsUnreadCopiesEveryRowOnce() throws IOException {
    Path directory = Environment.freshDirectory("replay");
    Path brake = Files.createFile(directory.resolve("brake"));
    try (RawFiles raw = new RawFiles(LAKE.s3().open("history-raw"), ROWS_IN_FILE);
        SqlGatewayClient.Session session = LAKE.session()) {
      raw.add(FILES);
      write(session, raw);
      long end = LAKE.newest("history").nextStep();

      String job = replay(session, directory, brake);
      LAKE.await(
          job, "a part of the copy", () -> LAKE.newest("copy").nextStep() > 0 && readTo() > 0);
      kill(job);
      assertThat(LAKE.newest("copy").totalRecords()).isBetween(1L, raw.rows() / 2);
      assertThat(readTo()).as("all below is read, by the last checkpoint").isBetween(1L, end / 2);

      Files.delete(brake);
      LAKE.cluster().startTaskManager();
      LAKE.awaitEnd(job);
      assertThat(LAKE.cluster().rest().restoredCheckpoints(job)).isPositive();
      session.set("execution.runtime-mode", "batch");
      assertThat(session.execute("SELECT id, caption, tags FROM copy").rows())
          .extracting(row -> RawFiles.text(row.get("id"), row.get("caption"), row.get("tags")))
          .containsExactlyInAnyOrderElementsOf(raw.expected());
    }
  }

  /** More bundles than the readers and the enumerator take on together. */
  private static void write(SqlGatewayClient.Session session, RawFiles raw) {
    session.execute(RawFiles.table(LAKE.s3().address("history-raw")));
    session.execute("CREATE TABLE history (" + RawFiles.COLUMNS + ") WITH (" + LAYOUT + ")");
    session.set("parallelism.default", "2");
    session.set("execution.runtime-mode", "batch");
    LAKE.awaitEnd(session.execute("INSERT INTO history SELECT * FROM raw_files").jobId());

    Manifest newest = LAKE.newest("history");
    assertThat(newest.totalRecords()).isEqualTo(raw.rows());
    int bundles =
        LAKE.look("history", stream -> stream.history(newest).bundles(0, Integer.MAX_VALUE).size());
    assertThat(bundles).isGreaterThan(PARALLELISM * 16 + PENDING);
  }

  /**
   * Starts a job that reads to the end, at most 5 rows in a second in each of its tasks: for
   * minutes, unless the brake is released.
   */
  private static String replay(SqlGatewayClient.Session session, Path directory, Path brake) {
    Path jar = directory.resolve("slowly.jar");
    OneClassJar.write(jar, Slowly.class, Map.of());
    session.execute(
        "CREATE TEMPORARY SYSTEM FUNCTION slowly AS '"
            + Slowly.class.getName()
            + "' LANGUAGE JAVA USING JAR '"
            + jar.toUri()
            + "'");
    session.execute("CREATE TABLE copy (" + RawFiles.COLUMNS + ") WITH (" + LAYOUT + ")");
    session.set("parallelism.default", String.valueOf(PARALLELISM));
    session.set("execution.runtime-mode", "streaming");
    return session
        .execute(
            "INSERT INTO copy SELECT slowly(id, '"
                + brake
                + "'), caption, tags FROM history /*+ OPTIONS('scan.bounded.mode'='latest',"
                + " 'scan.consumer-group'='"
                + GROUP
                + "', 'scan.pending-bundles'='"
                + PENDING
                + "') */")
        .jobId();
  }

  /** All below this step has been read, by the newest complete checkpoint of the job. */
  private static long readTo() {
    return LAKE.look("history", stream -> new Watermarks(stream).step(GROUP)).orElse(0);
  }

  /** Until the job is down; for lack of slots it stays so. */
  private static void kill(String job) {
    FlinkCluster cluster = LAKE.cluster();
    cluster.killTaskManager(cluster.rest().taskManagersOf(job).iterator().next());
    LAKE.await(job, "the failure", () -> !cluster.rest().runsWhole(job));
  }
}
