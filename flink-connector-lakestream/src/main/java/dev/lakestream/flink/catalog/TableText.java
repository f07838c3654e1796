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

import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.table.LakestreamTableFactory;
import dev.lakestream.flink.table.LakestreamTableOptions;
import dev.lakestream.flink.table.StreamSchema;
import dev.lakestream.manifest.StreamInfo;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.types.utils.TypeConversions;

/**
 * A table as the {@code stream} object keeps it: Flink's own properties of the table, under {@code
 * flink.table.}, without what the catalog adds and without secrets.
 */
final class TableText {

  private static final String PREFIX = "flink.table.";

  /** Beside those that Flink hides; compared without what separates words. */
  private static final List<String> SECRET_WORDS =
      List.of(
          "secret",
          "password",
          "passphrase",
          "token",
          "accesskey",
          "apikey",
          "privatekey",
          "credential",
          "userinfo",
          "basicauth",
          "bearer",
          "jaas");

  private static final List<String> ADDED = List.of("connector", "path");

  private TableText() {}

  /** What a stream that is created for the table keeps of it. */
  static Map<String, String> of(ResolvedCatalogTable table) {
    Map<String, String> options = new HashMap<>(table.getOptions());
    options.keySet().removeIf(key -> ADDED.contains(key) || isSecret(key));
    Map<String, String> kept = new TreeMap<>();
    table.copy(options).toProperties().forEach((key, value) -> kept.put(PREFIX + key, value));
    return kept;
  }

  static boolean isSecret(String option) {
    String word = option.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
    return GlobalConfiguration.isSensitive(option)
        || SECRET_WORDS.stream().anyMatch(word::contains);
  }

  /** The table of a stream, whoever created it. */
  static CatalogTable table(StreamInfo stream, String name) {
    Map<String, String> kept = new TreeMap<>();
    stream
        .options()
        .forEach(
            (key, value) -> {
              if (key.startsWith(PREFIX)) {
                kept.put(key.substring(PREFIX.length()), value);
              }
            });
    CatalogTable table = kept.isEmpty() ? foreign(stream, name) : CatalogTable.fromProperties(kept);
    Map<String, String> options = new HashMap<>(table.getOptions());
    options.put("connector", LakestreamTableFactory.IDENTIFIER);
    options.putIfAbsent(LakestreamTableOptions.MESH.key(), stream.defaultMesh().toString());
    return table.copy(options);
  }

  /** A stream that a job created: its columns, or its records as bytes. */
  private static CatalogTable foreign(StreamInfo stream, String name) {
    if (!stream.schema().isEmpty()) {
      StreamSchema schema =
          StreamSchema.parse(stream.schema(), TableText.class.getClassLoader(), "table " + name);
      return table(
          Schema.newBuilder()
              .fromRowDataType(TypeConversions.fromLogicalToDataType(schema.columns()))
              .build(),
          schema.format());
    }
    if (stream.sliceFormat().equals(SliceFormats.RECORDS)) {
      return table(Schema.newBuilder().column("payload", DataTypes.BYTES()).build(), "raw");
    }
    throw new CatalogException(
        "Stream "
            + name
            + " has slices of the format '"
            + stream.sliceFormat()
            + "' and no schema, and cannot be read as a table. Its metadata can: `"
            + name
            + "$batches`.");
  }

  private static CatalogTable table(Schema schema, String format) {
    return CatalogTable.newBuilder()
        .schema(schema)
        .options(Map.of(LakestreamTableOptions.FORMAT.key(), format))
        .build();
  }
}
