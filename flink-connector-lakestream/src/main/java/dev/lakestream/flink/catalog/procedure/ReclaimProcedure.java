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
package dev.lakestream.flink.catalog.procedure;

import dev.lakestream.retention.Deletion;
import dev.lakestream.retention.Hold;
import dev.lakestream.retention.ReclaimResult;
import dev.lakestream.retention.ReclaimSettings;
import dev.lakestream.retention.Reclaimer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code CALL sys.reclaim('t')}: gives up the steps that watermarks and tags allow to go, and
 * deletes what nobody can ask for any more. With {@code true} as the second argument it only says
 * what it would do; a third one names the step to trim to. Each deletion is a line in the log of
 * the session.
 */
public final class ReclaimProcedure implements Procedure {

  private static final String ROWS =
      "ROW<`result` STRING, objects BIGINT, `bytes` BIGINT, detail STRING>";

  private static final Logger LOG = LoggerFactory.getLogger(ReclaimProcedure.class);

  private final Tables tables;

  ReclaimProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {@ArgumentHint(name = "table", type = @DataTypeHint("STRING"))},
      output = @DataTypeHint(ROWS))
  public Row[] call(ProcedureContext context, String table) {
    return reclaim(table, ReclaimSettings.DEFAULT);
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "dry_run", type = @DataTypeHint("BOOLEAN"))
      },
      output = @DataTypeHint(ROWS))
  public Row[] call(ProcedureContext context, String table, Boolean dryRun) {
    return reclaim(table, ReclaimSettings.DEFAULT.dryRun(dryRun));
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "dry_run", type = @DataTypeHint("BOOLEAN")),
        @ArgumentHint(name = "trim_to", type = @DataTypeHint("BIGINT"))
      },
      output = @DataTypeHint(ROWS))
  public Row[] call(ProcedureContext context, String table, Boolean dryRun, Long trimTo) {
    return reclaim(table, ReclaimSettings.DEFAULT.dryRun(dryRun).trimTo(trimTo));
  }

  private Row[] reclaim(String table, ReclaimSettings settings) {
    ReclaimResult result =
        tables.with(
            table,
            stream ->
                Reclaimer.of(stream, settings)
                    .listener(deletion -> log(table, settings, deletion))
                    .run());
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.of(
            settings.dryRun() ? "DRY RUN" : "DONE",
            result.total().objects(),
            result.total().bytes(),
            "steps "
                + result.firstStep()
                + " to "
                + (result.nextStep() - 1)
                + " are held, "
                + result.heldBy().map(Hold::toString).map(by -> "by " + by).orElse("by nobody")));
    for (Deletion.Kind kind : Deletion.Kind.values()) {
      ReclaimResult.Tally tally = result.deleted(kind);
      if (tally.objects() > 0) {
        rows.add(Row.of(kind.name(), tally.objects(), tally.bytes(), ""));
      }
    }
    return rows.toArray(Row[]::new);
  }

  private static void log(String table, ReclaimSettings settings, Deletion deletion) {
    LOG.info(
        "{} {} of {} ({} bytes): {}",
        settings.dryRun() ? "Would delete" : "Deleting",
        deletion.key(),
        table,
        deletion.bytes(),
        deletion.why());
  }
}
