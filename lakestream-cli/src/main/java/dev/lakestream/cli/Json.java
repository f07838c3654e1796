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

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.PrintWriter;

/** JSON for other programs, written as it is found: nothing is collected. */
final class Json {

  /** Writes the fields of an object, or the elements of an array. */
  @FunctionalInterface
  interface Content {
    void write(JsonGenerator json) throws IOException;
  }

  private Json() {}

  /** One object, then a line end. */
  static void object(PrintWriter out, Content fields) throws IOException {
    JsonFactory factory =
        JsonFactory.builder()
            .disable(com.fasterxml.jackson.core.StreamWriteFeature.AUTO_CLOSE_TARGET)
            .build();
    try (JsonGenerator json = factory.createGenerator(out)) {
      DefaultIndenter lines = new DefaultIndenter("  ", "\n");
      json.setPrettyPrinter(
          new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
      object(json, fields);
    }
    out.println();
  }

  static void object(JsonGenerator json, Content fields) throws IOException {
    json.writeStartObject();
    fields.write(json);
    json.writeEndObject();
  }

  static void array(JsonGenerator json, String name, Content elements) throws IOException {
    json.writeArrayFieldStart(name);
    elements.write(json);
    json.writeEndArray();
  }
}
