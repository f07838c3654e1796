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

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.table.LakestreamTableFactory;
import dev.lakestream.flink.table.LakestreamTableOptions;
import dev.lakestream.manifest.StreamInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;

/**
 * Makes the sources and sinks of a catalog's tables: it adds where the stream is and how its store
 * is reached, which therefore stand in no table's options and are printed with none.
 */
final class CatalogTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {

  private final LakestreamTableFactory tables = new LakestreamTableFactory();
  private final Warehouse warehouse;

  CatalogTableFactory(Warehouse warehouse) {
    this.warehouse = warehouse;
  }

  @Override
  public String factoryIdentifier() {
    return LakestreamTableFactory.IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return tables.optionalOptions();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    ObjectPath path = context.getObjectIdentifier().toObjectPath();
    Optional<MetadataTable> metadata = MetadataTable.of(path);
    if (metadata.isPresent()) {
      ObjectPath table = MetadataTable.tableOf(path).orElseThrow();
      return new MetadataTableSource(
          metadata.get(), warehouse.addressOf(table), warehouse.storeOptions());
    }
    return tables.createDynamicTableSource(located(context));
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    if (MetadataTable.of(context.getObjectIdentifier().toObjectPath()).isPresent()) {
      throw new ValidationException(
          context.getObjectIdentifier().asSummaryString() + " is metadata and cannot be written.");
    }
    return tables.createDynamicTableSink(located(context));
  }

  private Context located(Context context) {
    return new FactoryUtil.DefaultDynamicTableContext(
        context.getObjectIdentifier(),
        located(context.getCatalogTable(), context.getObjectIdentifier().toObjectPath()),
        context.getEnrichmentOptions(),
        context.getConfiguration(),
        context.getClassLoader(),
        context.isTemporary());
  }

  private ResolvedCatalogTable located(ResolvedCatalogTable table, ObjectPath path) {
    // What the catalog inherited is not the table's: the session says it again.
    Map<String, String> options = new HashMap<>(warehouse.settings().declared());
    options.putAll(table.getOptions());
    options.put("connector", LakestreamTableFactory.IDENTIFIER);
    options.put(LakestreamTableOptions.PATH.key(), warehouse.addressOf(path));
    return table.copy(options);
  }

  /**
   * The stream to create for a table; everything that planning a query would refuse is refused
   * here.
   *
   * @throws ValidationException if no stream can be made of the table; says why
   */
  StreamInfo streamFor(String catalog, ObjectPath path, ResolvedCatalogTable table) {
    String connector = table.getOptions().get("connector");
    if (connector != null && !connector.equals(LakestreamTableFactory.IDENTIFIER)) {
      throw new ValidationException(
          "Table "
              + path.getFullName()
              + " states 'connector' = '"
              + connector
              + "'. A Lakestream catalog holds streams alone: leave the option out, or use CREATE TEMPORARY TABLE.");
    }
    if (table.getOptions().containsKey(LakestreamTableOptions.PATH.key())) {
      throw new ValidationException(
          "Table "
              + path.getFullName()
              + " states a 'path'. The catalog gives it one, "
              + warehouse.addressOf(path)
              + ": leave the option out.");
    }
    String mesh = table.getOptions().get(LakestreamTableOptions.MESH.key());
    if (mesh == null) {
      throw new ValidationException(
          "Table "
              + path.getFullName()
              + " needs a 'mesh', for instance '8x1': 8 data-parallel replicas.");
    }
    PlanningCheck.of(
            tables,
            ObjectIdentifier.of(catalog, path.getDatabaseName(), path.getObjectName()),
            located(table, path),
            Configuration.fromMap(warehouse.settings().inherited()))
        .run();
    Mesh shape = LakestreamTableFactory.parseMesh(mesh);
    RowType columns = (RowType) table.getResolvedSchema().toPhysicalRowDataType().getLogicalType();
    String format =
        table
            .getOptions()
            .getOrDefault(
                LakestreamTableOptions.FORMAT.key(), LakestreamTableOptions.FORMAT.defaultValue());
    return new StreamInfo(
        UUID.randomUUID(),
        System.currentTimeMillis(),
        shape,
        LakestreamCatalog.sliceFormat(table.getOptions()),
        LakestreamCatalog.schemaText(format, columns),
        TableText.of(table));
  }
}
