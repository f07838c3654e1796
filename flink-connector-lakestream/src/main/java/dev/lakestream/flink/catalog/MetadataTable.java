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

import dev.lakestream.manifest.TrainingStream;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** What a stream says of itself, as tables: {@code t$batches} for the table {@code t}. */
enum MetadataTable {
  /** One row for each step that is held. Reads the footers of bundles, and none of their slices. */
  BATCHES(
      DataTypes.ROW(
          DataTypes.FIELD("step", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("first_row", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("mesh", DataTypes.STRING().notNull()),
          DataTypes.FIELD("records", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("raw_bytes", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("producer_id", DataTypes.STRING().notNull()),
          DataTypes.FIELD("sequence", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("manifest_version", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("published_at", DataTypes.TIMESTAMP_LTZ(3)),
          DataTypes.FIELD("event_time_min", DataTypes.TIMESTAMP_LTZ(3)),
          DataTypes.FIELD("event_time_max", DataTypes.TIMESTAMP_LTZ(3)),
          DataTypes.FIELD("bundle", DataTypes.STRING().notNull())),
      MetadataRows::batches),
  /** One row for each manifest that has not been reclaimed, oldest first. */
  MANIFESTS(
      DataTypes.ROW(
          DataTypes.FIELD("version", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("operation", DataTypes.STRING().notNull()),
          DataTypes.FIELD("created_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
          DataTypes.FIELD("first_step", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("next_step", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("next_row", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("producers", DataTypes.INT().notNull()),
          DataTypes.FIELD("total_records", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("total_raw_bytes", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("commit_id", DataTypes.STRING().notNull()),
          DataTypes.FIELD("parent_commit_id", DataTypes.STRING())),
      MetadataRows::manifests),
  /** One row for each producer of the newest manifest. */
  PRODUCERS(
      DataTypes.ROW(
          DataTypes.FIELD("producer_id", DataTypes.STRING().notNull()),
          DataTypes.FIELD("job_name", DataTypes.STRING().notNull()),
          DataTypes.FIELD("owner", DataTypes.STRING().notNull()),
          DataTypes.FIELD("taken_over_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
          DataTypes.FIELD("lineage", DataTypes.STRING().notNull()),
          DataTypes.FIELD("sequence", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("last_commit_version", DataTypes.BIGINT()),
          DataTypes.FIELD("next_step", DataTypes.BIGINT()),
          DataTypes.FIELD("previous_owners", DataTypes.INT().notNull()),
          DataTypes.FIELD("updated_at", DataTypes.TIMESTAMP_LTZ(3).notNull())),
      MetadataRows::producers),
  /** One row for each consumer that has recorded where it stands. */
  WATERMARKS(
      DataTypes.ROW(
          DataTypes.FIELD("consumer_group", DataTypes.STRING().notNull()),
          DataTypes.FIELD("member", DataTypes.INT().notNull()),
          DataTypes.FIELD("world_size", DataTypes.INT().notNull()),
          DataTypes.FIELD("generation", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("step", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("manifest_version", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("mesh", DataTypes.STRING()),
          DataTypes.FIELD("kind", DataTypes.STRING().notNull()),
          DataTypes.FIELD("updated_at", DataTypes.TIMESTAMP_LTZ(3).notNull())),
      MetadataRows::watermarks),
  /** One row for each tag. */
  TAGS(
      DataTypes.ROW(
          DataTypes.FIELD("name", DataTypes.STRING().notNull()),
          DataTypes.FIELD("first_step", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("next_step", DataTypes.BIGINT().notNull()),
          DataTypes.FIELD("created_at", DataTypes.TIMESTAMP_LTZ(3).notNull()),
          DataTypes.FIELD("comment", DataTypes.STRING().notNull())),
      MetadataRows::tags);

  private final DataType row;
  private final Function<TrainingStream, Iterator<RowData>> rows;

  MetadataTable(DataType row, Function<TrainingStream, Iterator<RowData>> rows) {
    this.row = row.notNull();
    this.rows = rows;
  }

  DataType row() {
    return row;
  }

  /** Reads them bit by bit, as the stream is at the first. */
  Iterator<RowData> rows(TrainingStream stream) {
    return rows.apply(stream);
  }

  CatalogTable catalogTable() {
    return CatalogTable.newBuilder()
        .schema(Schema.newBuilder().fromRowDataType(row).build())
        .options(Map.of("connector", "lakestream"))
        .build();
  }

  /** Behind the dollar sign. */
  private String suffix() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<MetadataTable> of(ObjectPath path) {
    return Arrays.stream(values())
        .filter(table -> path.getObjectName().endsWith("$" + table.suffix()))
        .findFirst();
  }

  /** The table whose metadata it is; empty: it is no metadata table. */
  static Optional<ObjectPath> tableOf(ObjectPath path) {
    return of(path)
        .map(
            table ->
                new ObjectPath(
                    path.getDatabaseName(),
                    path.getObjectName()
                        .substring(
                            0, path.getObjectName().length() - table.suffix().length() - 1)));
  }

  /** For messages. */
  static String known() {
    return "A table has the metadata tables "
        + Arrays.stream(values()).map(t -> "$" + t.suffix()).collect(Collectors.joining(", "))
        + ".";
  }
}
