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
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.BundleDescriptor;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The bundles and which steps they hold. */
record BatchesView(Inspection inspection) implements View {

  private List<BundleDescriptor> bundles() {
    long first = inspection.from() == null ? inspection.head().firstStep() : inspection.from();
    return inspection.history().bundles(first, inspection.limit());
  }

  @Override
  public void print(PrintWriter out) {
    List<BundleDescriptor> bundles = bundles();
    Table table =
        new Table(
            "STEPS",
            "MESH",
            "RECORDS",
            "RAW",
            "STORED",
            "PRODUCER",
            "SEQUENCE",
            "EVENT TIME",
            "BUNDLE");
    for (BundleDescriptor bundle : bundles) {
      StagedBundle content = bundle.bundle();
      table.row(
          Text.steps(bundle.firstStep(), bundle.nextStep()),
          content.mesh().toString(),
          Text.number(content.records()),
          Text.size(content.rawBytes()),
          Text.size(content.objectLength()),
          Text.printable(bundle.producerId()),
          Text.number(bundle.sequence()),
          Text.eventTime(content.eventTime()),
          content.object());
    }
    table.print(out);
    long next =
        bundles.isEmpty()
            ? inspection.head().nextStep()
            : bundles.get(bundles.size() - 1).nextStep();
    if (bundles.isEmpty()) {
      out.println(
          "No batches there; the stream holds steps "
              + Text.steps(inspection.head().firstStep(), inspection.head().nextStep())
              + ".");
    } else if (next < inspection.head().nextStep()) {
      out.println("… later ones with --from " + next + ".");
    }
  }

  @Override
  public void write(JsonGenerator json) throws IOException {
    json.writeStringField("stream", inspection.stream().id().toString());
    json.writeNumberField("version", inspection.head().version());
    json.writeNumberField("firstStep", inspection.head().firstStep());
    json.writeNumberField("nextStep", inspection.head().nextStep());
    json.writeArrayFieldStart("bundles");
    for (BundleDescriptor bundle : bundles()) {
      write(json, bundle);
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, BundleDescriptor bundle) throws IOException {
    StagedBundle content = bundle.bundle();
    json.writeStartObject();
    json.writeNumberField("firstStep", bundle.firstStep());
    json.writeNumberField("nextStep", bundle.nextStep());
    json.writeNumberField("firstRow", bundle.firstRow());
    json.writeStringField("mesh", content.mesh().toString());
    json.writeNumberField("records", content.records());
    json.writeNumberField("rawBytes", content.rawBytes());
    json.writeNumberField("storedBytes", content.objectLength());
    json.writeStringField("producer", bundle.producerId());
    json.writeNumberField("sequence", bundle.sequence());
    if (content.eventTime() != null) {
      json.writeStringField("minEventTime", Text.time(content.eventTime().min()));
      json.writeStringField("maxEventTime", Text.time(content.eventTime().max()));
    }
    json.writeObjectFieldStart("attributes");
    for (Map.Entry<String, String> entry : new TreeMap<>(content.attributes()).entrySet()) {
      json.writeStringField(entry.getKey(), entry.getValue());
    }
    json.writeEndObject();
    json.writeStringField("object", content.object());
    json.writeEndObject();
  }
}
