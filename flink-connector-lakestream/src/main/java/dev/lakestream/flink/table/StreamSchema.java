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
package dev.lakestream.flink.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lakestream.LakestreamException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;

/**
 * What the rows of a stream are, as its {@code stream} object keeps it from its creation on: {@code
 * {"version":1,"format":"arrow","columns":[{"name":"id","type":"BIGINT NOT NULL"},…]}}, with types
 * in SQL. Equal schemas have equal texts.
 *
 * @param format the table's format
 * @param columns the physical ones, in order
 */
public record StreamSchema(String format, RowType columns) {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * @throws ValidationException if a type has no text; names the column
   */
  public String toText() {
    ObjectNode root = JSON.createObjectNode().put("version", VERSION).put("format", format);
    var array = root.putArray("columns");
    for (RowType.RowField column : columns.getFields()) {
      array
          .addObject()
          .put("name", column.getName())
          .put("type", text(column.getName(), column.getType()));
    }
    return root.toString();
  }

  private static String text(String column, LogicalType type) {
    try {
      return type.asSerializableString();
    } catch (RuntimeException e) {
      throw new ValidationException(
          "Column '"
              + column
              + "' is of type "
              + type.asSummaryString()
              + ", which cannot be written as text and kept with the stream.",
          e);
    }
  }

  /**
   * What {@link #toText} wrote.
   *
   * @param what names the stream in errors
   * @throws LakestreamException if it is no such text, or one of a newer build
   */
  public static StreamSchema parse(String text, ClassLoader types, String what) {
    try {
      JsonNode root = JSON.readTree(text);
      int version = root.path("version").asInt();
      if (version != VERSION) {
        throw new LakestreamException(
            "The schema of "
                + what
                + " is of version "
                + version
                + ", and this build reads version "
                + VERSION
                + ". Use a newer build.");
      }
      List<RowType.RowField> columns = new ArrayList<>();
      for (JsonNode column : root.path("columns")) {
        columns.add(
            new RowType.RowField(
                column.path("name").asText(),
                LogicalTypeParser.parse(column.path("type").asText(), types)));
      }
      return new StreamSchema(root.path("format").asText(), new RowType(false, columns));
    } catch (JsonProcessingException | ValidationException e) {
      throw new LakestreamException(
          "The schema of " + what + " cannot be read as that of a table: " + text, e);
    }
  }
}
