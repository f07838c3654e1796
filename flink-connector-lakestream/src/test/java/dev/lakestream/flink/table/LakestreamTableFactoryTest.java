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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Op;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.util.ExceptionUtils;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a table is said when a query is planned. */
class LakestreamTableFactoryTest {

  private static final String WRITABLE = "'mesh'='2x1', 'sink.batch.rows-per-slice'='2'";

  private final Sql sql = Sql.batch();

  private AbstractThrowableAssert<?, ?> insert(String columns, String with, String values) {
    sql.table("t", columns, with);
    return assertThatThrownBy(() -> sql.plan("INSERT INTO t VALUES (" + values + ")"));
  }

  private AbstractThrowableAssert<?, ?> select(String columns, String with) {
    sql.table("t", columns, with);
    return assertThatThrownBy(() -> sql.plan("SELECT * FROM t"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'sink.batch.rowsperslice'='2'|Unsupported options found for 'lakestream'",
        "'sink.batch.rowsperslice'='2'|sink.batch.rows-per-slice",
        "'s3.end-point'='x'|Unsupported option 's3.end-point' of the store",
        "'s3.end-point'='x'|s3.endpoint",
        "'retry.max'='x'|retry.max-elapsed",
        "'retry.max-elapsed'='soon'|Could not parse value 'soon' for key 'retry.max-elapsed'",
        "'retry.initial-backoff'='1 min'|retry.initial-backoff = PT1M is above retry.max-backoff",
        "'s3.path-style-access'='maybe'|s3.path-style-access",
        "'s3.max-connections'='few'|s3.max-connections",
        "'s3.checksums'='sometimes'|[when-supported, when-required]",
        "'s3.multipart.part-size'='large'|s3.multipart.part-size",
        "'file.sync'='maybe'|file.sync",
        "'mesh'='2'|must be DxC",
        "'mesh'='0x1'|D and C must be 1 or more",
        "'mesh'='99999999x1'|must be DxC",
        "'sink.batch.rows-per-slice'='many'|Could not parse value 'many' for key 'sink.batch.rows-per-slice'",
        "'sink.remainder'='keep'|sink.remainder",
        "'sink.remainder'='keep'|[EMIT, DROP, FAIL]",
        "'scan.order'='any'|[none, slice, global]",
        "'format'='parquet'|Could not find any factory for identifier 'parquet'",
        "'format'='json', 'arrow.dictionaries'='true'|the format 'json' has no dictionaries",
        "'format'='json', 'json.unknown'='x'|json.unknown",
        "'sink.linger'='1 s'|at-least-once",
        "'sink.shuffle.seed'='1'|nothing is shuffled",
        "'format'='debezium-json'|takes inserts only"
      })
  void optionsAreCheckedAndTheMessageSaysWhatIsAllowed(String with, String message) {
    select("id INT", with).hasStackTraceContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'sink.batch.rows-per-slice'='2'|states no 'mesh'",
        "'mesh'='2x1'|cannot be written without 'sink.batch.rows-per-slice'",
        "'mesh'='2x1', 'sink.batch.rows-per-slice'='0'|must be 1 or more",
        "'mesh'='2x1', 'sink.batch.rows-per-slice'='2', 'sink.upload-parallelism'='0'|parallel uploads",
        "'mesh'='2x1', 'sink.batch.rows-per-slice'='2', 'sink.delivery-guarantee'='none'|there is no 'none'"
      })
  void writingNeedsABatchShape(String with, String message) {
    insert("id INT", with, "1").hasStackTraceContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'scan.startup.mode'='step'|needs 'scan.startup.step'",
        "'scan.bounded.step'='3'|does not use it",
        "'scan.startup.mode'='step', 'scan.startup.step'='5', 'scan.bounded.mode'='step',"
            + " 'scan.bounded.step'='3'|starts at step 5 and ends before step 3"
      })
  void contradictionsOfAReadAreTold(String with, String message) {
    select("id INT", with).hasStackTraceContaining(message);
  }

  @Test
  void aPathThatIsNoneIsTold() {
    sql.execute("CREATE TABLE t (id INT) WITH ('connector'='lakestream', 'path'='relative')");
    assertThatThrownBy(() -> sql.plan("SELECT * FROM t")).hasStackTraceContaining("it is relative");
    sql.execute("CREATE TABLE u (id INT) WITH ('connector'='lakestream')");
    assertThatThrownBy(() -> sql.plan("SELECT * FROM u"))
        .hasStackTraceContaining("Missing required options are:\n\npath");
  }

  /**
   * Field fault: a store that cannot be opened anywhere, found by the job instead of the planner.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "gs://bucket/x|'retry.max-elapsed'='1 s'|No store for 'gs:'",
        "s3://bucket/x|'s3.access-key'='AK'|s3.access-key and s3.secret-key must be set together",
        "s3://bucket/x|'s3.sse.type'='rot13'|s3.sse.type",
        "s3://bucket/x|'s3.endpoint'='minio'|s3.endpoint must be an address",
        "s3://bucket/x|'s3.path.style.access'='maybe'|s3.path-style-access",
        "s3://bucket/x|'s3.multipart.part-size'='1 mb'|from 5 MiB to 5 GiB"
      })
  void aStoreThatCannotBeOpenedIsToldWhenTheQueryIsPlanned(
      String path, String with, String message) {
    sql.execute(
        "CREATE TABLE t (id INT) WITH ('connector'='lakestream', 'path'='"
            + path
            + "', 'mesh'='1x1', 'sink.batch.rows-per-slice'='1', "
            + with
            + ")");
    for (String query : new String[] {"SELECT * FROM t", "INSERT INTO t VALUES (1)"}) {
      assertThatThrownBy(() -> sql.plan(query))
          .hasStackTraceContaining("ValidationException")
          .hasStackTraceContaining(message);
    }
  }

  @Test
  void aBucketThatIsNotThereIsToldAndAStoreThatIsDownIsWaitedForByTheJob() {
    sql.table("t", "id INT", WRITABLE + ", 'retry.max-elapsed'='0 s'");
    sql.store.on(Op.READ_SUFFIX).answer(Answer.serverError());
    assertThat(sql.plan("INSERT INTO t VALUES (1)")).contains("Sink");
    sql.store.heal();
    sql.store.on(Op.READ_SUFFIX).answer(Answer.fail(Fault.NO_SUCH_STORE));
    assertThatThrownBy(() -> sql.plan("INSERT INTO t VALUES (1)"))
        .hasStackTraceContaining("ValidationException")
        .hasStackTraceContaining("NO_SUCH_STORE");
  }

  @Test
  void aTypeThatArrowCannotHoldIsNamedWithItsColumn() {
    select("id INT, v ARRAY<VARIANT>", WRITABLE)
        .hasStackTraceContaining("Column 'v[]' is of type VARIANT");
  }

  @Test
  void anUnknownMetadataKeyIsToldWithTheValidOnes() {
    select("id INT, partition INT METADATA VIRTUAL".replace("partition", "`partition`"), WRITABLE)
        .hasStackTraceContaining("Invalid metadata key 'partition'")
        .hasStackTraceContaining("producer_id")
        .hasStackTraceContaining("record_index");
  }

  @Test
  void whatCannotBeWrittenMustBeVirtual() {
    insert("id INT, step BIGINT METADATA", WRITABLE, "1, 2")
        .hasStackTraceContaining("Invalid metadata key 'step'")
        .hasStackTraceContaining("event_time");
  }

  @Test
  void halfAPlaceIsRefused() {
    insert("id INT, cp_rank INT METADATA", WRITABLE, "1, 0")
        .hasStackTraceContaining("writes 'cp_rank' and not 'dp_rank'");
  }

  @Test
  void partitionsAreRefusedWithWhatIsThereInstead() {
    sql.execute(
        "CREATE TABLE t (id INT, p INT) PARTITIONED BY (p) WITH ('connector'='lakestream',"
            + " 'path'='"
            + sql.path("t")
            + "')");
    assertThatThrownBy(() -> sql.plan("SELECT * FROM t"))
        .hasStackTraceContaining("filter by the metadata columns");
  }

  @Test
  void onlyInsertsAreTaken() {
    sql.table("t", "id INT", WRITABLE);
    assertThatThrownBy(() -> sql.plan("INSERT OVERWRITE t VALUES (1)"))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("INSERT OVERWRITE");
    assertThatThrownBy(() -> sql.plan("DELETE FROM t WHERE id = 1"))
        .hasStackTraceContaining("SupportsRowLevelDelete");
    Sql streaming = Sql.streaming();
    streaming.table("t", "id BIGINT", WRITABLE);
    streaming.table("u", "id BIGINT", WRITABLE);
    assertThatThrownBy(() -> streaming.plan("INSERT INTO t SELECT COUNT(*) FROM u"))
        .hasStackTraceContaining("doesn't support consuming update changes");
  }

  @Test
  void anUnboundedReadInBatchModeEndsAtTheNewestStep() {
    sql.table("t", "id INT", "");
    assertThat(sql.plan("SELECT * FROM t")).contains("TableSourceScan");
    sql.table("u", "id INT", "'scan.bounded.mode'='none'");
    assertThatThrownBy(() -> sql.plan("SELECT * FROM u")).hasStackTraceContaining("unbounded");
  }

  @Test
  void secretsAreNeverPrinted() {
    sql.table("t", "id INT", WRITABLE + ", 's3.secret-key'='hush', 's3.access-key'='AK', 'no'='1'");
    Throwable failure =
        org.assertj.core.api.Assertions.catchThrowable(() -> sql.plan("INSERT INTO t VALUES (1)"));
    assertThat(ExceptionUtils.stringifyException(failure))
        .contains("'s3.secret-key'='******'")
        .doesNotContain("hush");
  }
}
