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

import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.Publisher;
import java.util.SplittableRandom;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;

/**
 * {@code CALL sys.retire_producer('t', 'p')}: the manifests carry the producer no further. A job
 * that still writes as this producer is fenced.
 */
public final class RetireProducerProcedure implements Procedure {

  private final Tables tables;

  RetireProducerProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {
        @ArgumentHint(name = "table", type = @DataTypeHint("STRING")),
        @ArgumentHint(name = "producer_id", type = @DataTypeHint("STRING"))
      })
  public String[] call(ProcedureContext context, String table, String producerId) {
    boolean retired =
        tables.with(
            table,
            stream ->
                new Publisher(
                        stream, CommitSettings.DEFAULT, new SplittableRandom(), new CommitMetrics())
                    .retire(producerId));
    return new String[] {
      retired
          ? "Producer " + producerId + " of " + table + " is retired"
          : "There was no producer " + producerId + " of " + table
    };
  }
}
