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

import dev.lakestream.flink.table.LakestreamTableFactory;
import dev.lakestream.flink.table.LakestreamTableOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.Column.MetadataColumn;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.runtime.connector.sink.SinkRuntimeProviderContext;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeCasts;

/**
 * Plans a read and a write of a table that does not exist yet, as the planner would, so that what
 * these refuse is refused before it is stored: a table cannot be altered.
 */
final class PlanningCheck {

  private final LakestreamTableFactory tables;
  private final ObjectIdentifier name;
  private final ResolvedCatalogTable table;
  private final Configuration session;

  private PlanningCheck(
      LakestreamTableFactory tables,
      ObjectIdentifier name,
      ResolvedCatalogTable table,
      Configuration session) {
    this.tables = tables;
    this.name = name;
    this.table = table;
    this.session = session;
  }

  /**
   * @param table with its place in its options
   */
  static PlanningCheck of(
      LakestreamTableFactory tables,
      ObjectIdentifier name,
      ResolvedCatalogTable table,
      Configuration session) {
    return new PlanningCheck(tables, name, table, session);
  }

  /**
   * @throws ValidationException if a query of the table would be refused; says why
   */
  void run() {
    read();
    write();
  }

  private void read() {
    ScanTableSource source =
        (ScanTableSource) tables.createDynamicTableSource(context(table.getOptions()));
    Map<String, DataType> known = ((SupportsReadingMetadata) source).listReadableMetadata();
    List<String> keys = keys(known, metadata().toList(), "read");
    ((SupportsReadingMetadata) source).applyReadableMetadata(keys, row(keys, known));
    source.getScanRuntimeProvider(ScanRuntimeProviderContext.INSTANCE);
  }

  /** How many rows a slice gets may be said in the hint of each INSERT. */
  private void write() {
    Map<String, String> options = new HashMap<>(table.getOptions());
    options.putIfAbsent(LakestreamTableOptions.ROWS_PER_SLICE.key(), "1");
    DynamicTableSink sink = tables.createDynamicTableSink(context(options));
    Map<String, DataType> known = ((SupportsWritingMetadata) sink).listWritableMetadata();
    List<String> keys = keys(known, metadata().filter(Column::isPersisted).toList(), "written");
    ((SupportsWritingMetadata) sink).applyWritableMetadata(keys, row(keys, known));
    sink.getSinkRuntimeProvider(new SinkRuntimeProviderContext(false));
  }

  private FactoryUtil.DefaultDynamicTableContext context(Map<String, String> options) {
    return new FactoryUtil.DefaultDynamicTableContext(
        name,
        table.copy(options),
        Map.of(),
        session,
        Thread.currentThread().getContextClassLoader(),
        false);
  }

  private Stream<MetadataColumn> metadata() {
    return table.getResolvedSchema().getColumns().stream()
        .filter(MetadataColumn.class::isInstance)
        .map(MetadataColumn.class::cast);
  }

  /** Those that are asked for, in the order of those that are known, as the planner gives them. */
  private List<String> keys(Map<String, DataType> known, List<MetadataColumn> asked, String how) {
    for (MetadataColumn column : asked) {
      DataType type = known.get(key(column));
      if (type == null) {
        throw new ValidationException(
            "Invalid metadata key '"
                + key(column)
                + "' of column '"
                + column.getName()
                + "' of table "
                + name.asSummaryString()
                + ": it cannot be "
                + how
                + ". These can: "
                + String.join(", ", known.keySet())
                + (how.equals("written") ? ". Declare the others VIRTUAL." : "."));
      }
      requireCast(column, type.getLogicalType(), how);
    }
    List<String> used = asked.stream().map(PlanningCheck::key).toList();
    return known.keySet().stream().filter(used::contains).toList();
  }

  private void requireCast(MetadataColumn column, LogicalType known, String how) {
    LogicalType declared = column.getDataType().getLogicalType();
    boolean fits =
        how.equals("read")
            ? LogicalTypeCasts.supportsExplicitCast(known, declared)
            : LogicalTypeCasts.supportsExplicitCast(declared, known);
    if (!fits) {
      throw new ValidationException(
          "Invalid data type "
              + declared
              + " of metadata column '"
              + column.getName()
              + "' of table "
              + name.asSummaryString()
              + ": '"
              + key(column)
              + "' is of type "
              + known
              + ".");
    }
  }

  private static String key(MetadataColumn column) {
    return column.getMetadataKey().orElse(column.getName());
  }

  private DataType row(List<String> keys, Map<String, DataType> known) {
    List<DataTypes.Field> fields =
        new ArrayList<>(DataType.getFields(table.getResolvedSchema().toPhysicalRowDataType()));
    keys.forEach(key -> fields.add(DataTypes.FIELD("$metadata$" + key, known.get(key))));
    return DataTypes.ROW(fields).notNull();
  }
}
