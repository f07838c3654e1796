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

import dev.lakestream.retention.Tags;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;

/** {@code CALL sys.untag('t', 'v1')}: the tag holds nothing any more. */
public final class UntagProcedure implements Procedure {

  private final Tables tables;

  UntagProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "tag", type = @DataTypeHint("STRING"))
      })
  public String[] call(ProcedureContext context, String table, String tag) {
    boolean removed = tables.with(table, stream -> new Tags(stream).delete(tag));
    return new String[] {
      removed ? "Tag " + tag + " of " + table + " is removed" : "There was no tag " + tag
    };
  }
}
