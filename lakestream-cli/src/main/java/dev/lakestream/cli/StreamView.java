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
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.SegmentRef;
import dev.lakestream.manifest.StreamInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;

/** What a stream is and how far it goes. */
record StreamView(Inspection inspection) implements View {

  @Override
  public void print(PrintWriter out) {
    StreamInfo info = inspection.stream().info();
    Manifest head = inspection.head();
    line(out, "Stream", inspection.stream().store().address());
    line(out, "UUID", info.id().toString());
    line(out, "Created", Text.time(info.createdAt()));
    line(out, "Slices", info.sliceFormat() + ", mesh " + info.defaultMesh() + " by default");
    if (!info.schema().isEmpty()) {
      line(out, "Schema", Text.printable(info.schema()));
    }
    new TreeMap<>(info.options())
        .forEach((key, value) -> line(out, "Option", Text.printable(key + " = " + value)));
    line(
        out,
        "Manifest",
        Text.number(head.version())
            + " ("
            + head.operation()
            + ", "
            + Text.time(head.createdAt())
            + ")");
    line(
        out,
        "Steps",
        Text.steps(head.firstStep(), head.nextStep())
            + (head.firstStep() > 0
                ? " (those below " + Text.number(head.firstStep()) + " are reclaimed)"
                : ""));
    line(out, "Rows", Text.steps(head.firstRow(), head.nextRow()));
    line(
        out,
        "Published",
        Text.count(head.totalRecords(), "record")
            + ", "
            + Text.size(head.totalRawBytes())
            + " before compression");
    line(
        out,
        "Bundles",
        Text.number(head.tail().size())
            + " in the manifest"
            + head.sealed()
                .map(root -> ", " + Text.number(root.bundles()) + " in segments")
                .orElse(""));
    line(out, "Producers", Text.number(head.producers().size()));
  }

  private static void line(PrintWriter out, String name, String value) {
    out.println(name + " ".repeat(11 - name.length()) + value);
  }

  @Override
  public void write(JsonGenerator json) throws IOException {
    StreamInfo info = inspection.stream().info();
    Manifest head = inspection.head();
    json.writeStringField("address", inspection.stream().store().address());
    json.writeStringField("stream", info.id().toString());
    json.writeStringField("createdAt", Text.time(info.createdAt()));
    json.writeStringField("sliceFormat", info.sliceFormat());
    json.writeStringField("defaultMesh", info.defaultMesh().toString());
    json.writeStringField("schema", info.schema());
    json.writeObjectFieldStart("options");
    for (Map.Entry<String, String> option : new TreeMap<>(info.options()).entrySet()) {
      json.writeStringField(option.getKey(), option.getValue());
    }
    json.writeEndObject();
    json.writeNumberField("version", head.version());
    json.writeStringField("publishedAt", Text.time(head.createdAt()));
    json.writeStringField("operation", head.operation());
    json.writeNumberField("firstStep", head.firstStep());
    json.writeNumberField("nextStep", head.nextStep());
    json.writeNumberField("firstRow", head.firstRow());
    json.writeNumberField("nextRow", head.nextRow());
    json.writeNumberField("totalRecords", head.totalRecords());
    json.writeNumberField("totalRawBytes", head.totalRawBytes());
    json.writeNumberField("tailBundles", head.tail().size());
    json.writeNumberField("sealedBundles", head.sealed().map(SegmentRef::bundles).orElse(0L));
    json.writeNumberField("producers", head.producers().size());
  }
}
