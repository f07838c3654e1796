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

import dev.lakestream.retention.Tag;
import dev.lakestream.retention.Tags;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;

/**
 * {@code CALL sys.tag('t', 'v1', 0, 1000)}: holds the steps from the first to before the second
 * number.
 */
public final class TagProcedure implements Procedure {

  private final Tables tables;

  TagProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "tag", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "first_step", type = @DataTypeHint("BIGINT")),
        @ArgumentHint(name = "next_step", type = @DataTypeHint("BIGINT"))
      })
  public String[] call(
      ProcedureContext context, String table, String tag, Long firstStep, Long nextStep) {
    Tag created =
        tables.with(table, stream -> new Tags(stream).create(tag, firstStep, nextStep, ""));
    return new String[] {
      "Tag "
          + created.name()
          + " holds steps "
          + created.firstStep()
          + " to "
          + (created.nextStep() - 1)
          + " of "
          + table
    };
  }
}
