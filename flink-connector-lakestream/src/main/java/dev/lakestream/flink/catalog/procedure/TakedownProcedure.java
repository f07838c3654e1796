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

import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.table.StreamSchema;
import dev.lakestream.flink.table.arrow.ArrowSliceEditor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Takedown;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;

/**
 * {@code CALL sys.takedown('t', 81200, 1, 0, '3, 7', 'request 17')}: takes records out of a slice,
 * by the {@code record_index} that a query shows.
 */
public final class TakedownProcedure implements Procedure {

  private final Tables tables;

  TakedownProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "step", type = @DataTypeHint("BIGINT")),
        @ArgumentHint(name = "dp_rank", type = @DataTypeHint("INT")),
        @ArgumentHint(name = "cp_rank", type = @DataTypeHint("INT")),
        @ArgumentHint(name = "record_indexes", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "reason", type = @DataTypeHint("STRING"))
      })
  public String[] call(
      ProcedureContext context,
      String table,
      Long step,
      Integer dpRank,
      Integer cpRank,
      String records,
      String reason) {
    Removal removal = new Removal.Records(dpRank, cpRank, numbers(records));
    Takedown.Request request = new Takedown.Request(step, step + 1, removal, reason);
    Takedown.Result result =
        tables.with(table, stream -> new Takedown(stream, editors(stream)).run(request));
    return new String[] {
      "Took "
          + result.records()
          + " records out of step "
          + step
          + " of "
          + table
          + ". Reclamation deletes the old bytes."
    };
  }

  /** Procedures take no arrays. */
  private static SortedSet<Integer> numbers(String text) {
    SortedSet<Integer> numbers = new TreeSet<>();
    for (String number : text.split(",", -1)) {
      try {
        numbers.add(Integer.parseInt(number.strip()));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "'" + text + "' is no list of record indexes: numbers with commas between them.", e);
      }
    }
    return numbers;
  }

  private static List<SliceEditor> editors(TrainingStream stream) {
    if (!stream.info().sliceFormat().equals(SliceFormats.ARROW)) {
      return List.of();
    }
    StreamSchema schema =
        StreamSchema.parse(
            stream.info().schema(), TakedownProcedure.class.getClassLoader(), stream.toString());
    return List.of(new ArrowSliceEditor(schema.columns()));
  }
}
