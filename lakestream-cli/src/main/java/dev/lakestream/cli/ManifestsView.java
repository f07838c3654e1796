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
import dev.lakestream.LakestreamException;
import dev.lakestream.manifest.Manifest;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The newest manifests first, each with what it added to its parent. */
record ManifestsView(Inspection inspection) implements View {

  @Override
  public void print(PrintWriter out) {
    Table table =
        new Table("VERSION", "PUBLISHED", "OPERATION", "STEPS", "ADDED", "TAIL", "COMMIT");
    long next =
        each(
            (manifest, parent) ->
                table.row(
                    Text.number(manifest.version()),
                    Text.time(manifest.createdAt()),
                    Text.printable(manifest.operation()),
                    Text.steps(manifest.firstStep(), manifest.nextStep()),
                    parent.map(p -> Text.number(manifest.nextStep() - p.nextStep())).orElse("-"),
                    Text.number(manifest.tail().size()),
                    manifest.commitId().toString()));
    table.print(out);
    if (next >= 0) {
      out.println("… older ones with --from " + next + ".");
    }
  }

  @Override
  public void write(JsonGenerator json) throws IOException {
    json.writeStringField("stream", inspection.stream().id().toString());
    json.writeNumberField("version", inspection.head().version());
    json.writeArrayFieldStart("manifests");
    each(
        (manifest, parent) -> {
          try {
            write(json, manifest, parent);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, Manifest manifest, Optional<Manifest> parent)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("version", manifest.version());
    json.writeStringField("commit", manifest.commitId().toString());
    json.writeStringField("publishedAt", Text.time(manifest.createdAt()));
    json.writeStringField("operation", manifest.operation());
    json.writeNumberField("firstStep", manifest.firstStep());
    json.writeNumberField("nextStep", manifest.nextStep());
    if (parent.isPresent()) {
      json.writeNumberField("addedSteps", manifest.nextStep() - parent.get().nextStep());
    }
    json.writeNumberField("tailBundles", manifest.tail().size());
    json.writeEndObject();
  }

  /** Returns the version that comes next; -1: none. */
  private long each(BiConsumer<Manifest, Optional<Manifest>> action) {
    long top =
        inspection.from() == null
            ? inspection.head().version()
            : Math.min(inspection.from(), inspection.head().version());
    Optional<Manifest> current = inspection.stream().log().at(top);
    if (current.isEmpty()) {
      throw new LakestreamException(
          "Manifest "
              + top
              + " of "
              + inspection.stream()
              + " is no longer there; the newest one is "
              + inspection.head().version()
              + ".");
    }
    for (int i = 0; i < inspection.limit() && current.isPresent(); i++) {
      long version = current.get().version();
      Optional<Manifest> parent =
          version == 0 ? Optional.empty() : inspection.stream().log().at(version - 1);
      action.accept(current.get(), parent);
      current = parent;
    }
    return current.map(Manifest::version).orElse(-1L);
  }
}
