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

import dev.lakestream.retention.Finding;
import dev.lakestream.retention.StreamVerifier;
import dev.lakestream.retention.VerifyListener;
import dev.lakestream.retention.VerifyResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.ProcedureHint;
import org.apache.flink.table.procedure.ProcedureContext;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.types.Row;

/**
 * {@code CALL sys.verify('t')}: every checksum, and every invariant that can be seen at rest. The
 * first row sums up, the others are what was found.
 */
public final class VerifyProcedure implements Procedure {

  /** More findings than this are counted, not listed. */
  private static final int MAX_LISTED = 1000;

  private final Tables tables;

  VerifyProcedure(Tables tables) {
    this.tables = tables;
  }

  @ProcedureHint(
      arguments = {@ArgumentHint(name = "table", type = @DataTypeHint("STRING"))},
      output = @DataTypeHint("ROW<severity STRING, `check` STRING, object STRING, message STRING>"))
  public Row[] call(ProcedureContext context, String table) {
    List<Finding> found = Collections.synchronizedList(new ArrayList<>());
    VerifyListener listener =
        new VerifyListener() {
          @Override
          public void found(Finding finding) {
            if (found.size() < MAX_LISTED) {
              found.add(finding);
            }
          }
        };
    VerifyResult result =
        tables.with(table, stream -> StreamVerifier.of(stream).listener(listener).verify());
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.of(
            result.isIntact() ? "OK" : "DAMAGED",
            "SUMMARY",
            "manifest " + result.version(),
            result.steps()
                + " steps in "
                + result.bundles()
                + " bundles, "
                + result.manifests()
                + " manifests: "
                + result.errors()
                + " errors, "
                + result.notes()
                + " notes"));
    for (Finding finding : List.copyOf(found)) {
      rows.add(
          Row.of(
              finding.severity().name(),
              finding.check().name(),
              finding.object(),
              finding.message()));
    }
    return rows.toArray(Row[]::new);
  }
}
