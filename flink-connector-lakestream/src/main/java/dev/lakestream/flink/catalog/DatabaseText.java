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
package dev.lakestream.flink.catalog;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.exceptions.CatalogException;

/** A database as its marker object keeps it: {@code {"version":1,"comment":…,"properties":{…}}}. */
final class DatabaseText {

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  private DatabaseText() {}

  static String of(CatalogDatabase database) {
    ObjectNode root = JSON.createObjectNode().put("version", VERSION);
    root.put("comment", database.getComment());
    ObjectNode properties = root.putObject("properties");
    new TreeMap<>(database.getProperties())
        .forEach(
            (key, value) -> {
              if (!TableText.isSecret(key)) {
                properties.put(key, value);
              }
            });
    return root.toString();
  }

  static CatalogDatabase parse(String text) {
    try {
      JsonNode root = JSON.readTree(text);
      if (root.path("version").asInt() > VERSION) {
        throw new CatalogException(
            "The database is of version " + root.path("version") + ", made by a newer build.");
      }
      Map<String, String> properties = new TreeMap<>();
      root.path("properties")
          .properties()
          .forEach(entry -> properties.put(entry.getKey(), entry.getValue().asText()));
      return new CatalogDatabaseImpl(properties, root.path("comment").asText(null));
    } catch (JsonProcessingException e) {
      throw new CatalogException("The object of the database cannot be read: " + text, e);
    }
  }
}
