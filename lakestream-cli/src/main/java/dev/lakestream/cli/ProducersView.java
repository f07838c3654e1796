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
package dev.lakestream.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Owner;
import dev.lakestream.manifest.ProducerEntry;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** Who writes, who wrote before, and how far each has come. */
record ProducersView(Inspection inspection) implements View {

  private List<ProducerEntry> producers() {
    return inspection.head().producers().stream().limit(inspection.limit()).toList();
  }

  @Override
  public void print(PrintWriter out) {
    if (inspection.head().producers().isEmpty()) {
      out.println("No producer has opened this stream yet.");
      return;
    }
    Table table =
        new Table("PRODUCER", "JOB", "SINCE", "OWNERS", "SEQUENCE", "PUBLISHED UP TO", "UPDATED");
    for (ProducerEntry entry : producers()) {
      Owner owner = entry.currentOwner();
      Lineage lineage = entry.currentLineage();
      table.row(
          Text.printable(entry.producerId()),
          Text.printable(owner.jobName()),
          Text.time(owner.takenOverAt()),
          Text.number(entry.previousOwners() + 1),
          Text.number(lineage.sequence()),
          lineage.nextStep() == 0 ? "nothing" : "step " + Text.number(lineage.nextStep() - 1),
          Text.time(entry.updatedAt()));
    }
    table.print(out);
    int more = inspection.head().producers().size() - producers().size();
    if (more > 0) {
      out.println("… and " + Text.number(more) + " more: raise --limit.");
    }
  }

  @Override
  public void write(JsonGenerator json) throws IOException {
    json.writeStringField("stream", inspection.stream().id().toString());
    json.writeNumberField("version", inspection.head().version());
    json.writeArrayFieldStart("producers");
    for (ProducerEntry entry : producers()) {
      json.writeStartObject();
      json.writeStringField("producer", entry.producerId());
      json.writeStringField("updatedAt", Text.time(entry.updatedAt()));
      json.writeNumberField("forgottenOwners", entry.forgotten().count());
      Json.array(json, "owners", owners -> writeOwners(owners, entry));
      Json.array(json, "lineages", lineages -> writeLineages(lineages, entry));
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeOwners(JsonGenerator json, ProducerEntry entry) throws IOException {
    for (Owner owner : entry.owners()) {
      json.writeStartObject();
      json.writeStringField("owner", owner.id().toString());
      json.writeStringField("lineage", owner.lineage().toString());
      json.writeStringField("job", owner.jobName());
      json.writeStringField("takenOverAt", Text.time(owner.takenOverAt()));
      json.writeEndObject();
    }
  }

  private static void writeLineages(JsonGenerator json, ProducerEntry entry) throws IOException {
    for (Lineage lineage : entry.lineages()) {
      json.writeStartObject();
      json.writeStringField("lineage", lineage.id().toString());
      json.writeNumberField("sequence", lineage.sequence());
      json.writeNumberField("lastCommitVersion", lineage.lastCommitVersion());
      json.writeNumberField("nextStep", lineage.nextStep());
      json.writeEndObject();
    }
  }
}
