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

import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;

/**
 * {@code CALL sys.set_watermark('t', 'train', 81200)}: the whole group stands at this step. What
 * its members had recorded holds nothing any more.
 */
public final class SetWatermarkProcedure implements Procedure {

  private final Tables tables;

  SetWatermarkProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "consumer_group", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "step", type = @DataTypeHint("BIGINT"))
      })
  public String[] call(ProcedureContext context, String table, String group, Long step) {
    Watermark set = tables.with(table, stream -> new Watermarks(stream).set(group, step));
    return new String[] {
      "Group "
          + set.group()
          + " of "
          + table
          + " stands at step "
          + set.step()
          + " (generation "
          + set.generation()
          + ")"
    };
  }
}
