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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.catalog.procedure.Procedures;
import dev.lakestream.flink.table.LakestreamTableOptions;
import dev.lakestream.flink.table.StoreSettings;
import dev.lakestream.flink.table.StreamSchema;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.ProcedureNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.procedures.Procedure;
import org.apache.flink.table.types.logical.RowType;

/**
 * Databases and tables of one warehouse. A table is a stream, and what it is lies in the stream
 * itself, so that everyone who opens the warehouse sees the same, and two who create one table at
 * once get one stream.
 *
 * <p>Assumption: whoever deletes objects behind the catalog's back deletes tables. Nothing is
 * remembered between calls.
 */
public final class LakestreamCatalog extends PlainCatalog {

  private final String address;
  private final StoreSettings settings;
  private Warehouse warehouse;

  LakestreamCatalog(String name, String defaultDatabase, String address, StoreSettings settings) {
    super(name, defaultDatabase);
    this.address = address;
    this.settings = settings;
  }

  @Override
  public void open() {
    warehouse = new Warehouse(address, settings);
  }

  @Override
  public void close() {
    if (warehouse != null) {
      warehouse.close();
    }
  }

  @Override
  public Optional<Factory> getFactory() {
    return Optional.of(new CatalogTableFactory(warehouse));
  }

  @Override
  public List<String> listDatabases() {
    TreeSet<String> names = new TreeSet<>(warehouse.databases());
    names.add(getDefaultDatabase());
    return new ArrayList<>(names);
  }

  @Override
  public boolean databaseExists(String name) {
    return name.equals(getDefaultDatabase()) || warehouse.hasDatabase(name);
  }

  @Override
  public CatalogDatabase getDatabase(String name) throws DatabaseNotExistException {
    requireDatabase(name);
    return warehouse
        .databaseProperties(name)
        .map(DatabaseText::parse)
        .orElseGet(() -> new CatalogDatabaseImpl(Map.of(), null));
  }

  private void requireDatabase(String name) throws DatabaseNotExistException {
    if (!databaseExists(name)) {
      throw new DatabaseNotExistException(getName(), name);
    }
  }

  @Override
  public void createDatabase(String name, CatalogDatabase database, boolean ignoreIfExists)
      throws DatabaseAlreadyExistException {
    boolean created =
        !warehouse.hasDatabase(name) && warehouse.createDatabase(name, DatabaseText.of(database));
    if (!created && !ignoreIfExists) {
      throw new DatabaseAlreadyExistException(getName(), name);
    }
  }

  @Override
  public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade)
      throws DatabaseNotExistException, DatabaseNotEmptyException {
    if (!databaseExists(name)) {
      if (ignoreIfNotExists) {
        return;
      }
      throw new DatabaseNotExistException(getName(), name);
    }
    List<String> tables = warehouse.tables(name);
    if (!tables.isEmpty() && !cascade) {
      throw new DatabaseNotEmptyException(getName(), name);
    }
    tables.forEach(table -> warehouse.dropTable(new ObjectPath(name, table)));
    warehouse.dropDatabase(name);
  }

  @Override
  public void alterDatabase(String name, CatalogDatabase database, boolean ignoreIfNotExists) {
    throw new UnsupportedOperationException(
        "Database " + name + " cannot be altered: drop it and create it again.");
  }

  @Override
  public List<String> listTables(String database) throws DatabaseNotExistException {
    requireDatabase(database);
    return warehouse.tables(database);
  }

  @Override
  public boolean tableExists(ObjectPath path) {
    return MetadataTable.tableOf(path).map(this::tableExists).orElseGet(() -> isStream(path));
  }

  private boolean isStream(ObjectPath path) {
    return path.getObjectName().indexOf('$') < 0
        && warehouse.ask(path, TrainingStream::id).isPresent();
  }

  @Override
  public CatalogBaseTable getTable(ObjectPath path) throws TableNotExistException {
    Optional<MetadataTable> metadata = MetadataTable.of(path);
    if (metadata.isPresent()) {
      if (!tableExists(path)) {
        throw new TableNotExistException(getName(), path);
      }
      return metadata.get().catalogTable();
    }
    if (path.getObjectName().indexOf('$') >= 0) {
      throw new TableNotExistException(
          getName(), path, new CatalogException(MetadataTable.known()));
    }
    StreamInfo info =
        warehouse
            .ask(path, TrainingStream::info)
            .orElseThrow(() -> new TableNotExistException(getName(), path));
    return TableText.table(info, path.getFullName());
  }

  @Override
  public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
      throws TableAlreadyExistException, DatabaseNotExistException {
    requireDatabase(path.getDatabaseName());
    Warehouse.requireName(path.getObjectName());
    if (!(table instanceof ResolvedCatalogTable resolved)) {
      throw new CatalogException("Only tables can be created in catalog " + getName() + ".");
    }
    if (isStream(path)) {
      Optional<CatalogException> halfDropped = halfDropped(path);
      if (!ignoreIfExists) {
        throw new TableAlreadyExistException(getName(), path, halfDropped.orElse(null));
      }
      if (halfDropped.isPresent()) {
        throw halfDropped.get();
      }
      return;
    }
    warehouse.createDatabase(
        path.getDatabaseName(), DatabaseText.of(new CatalogDatabaseImpl(Map.of(), null)));
    StreamInfo wanted = new CatalogTableFactory(warehouse).streamFor(getName(), path, resolved);
    try (ObjectStore store = Stores.open(warehouse.addressOf(path), warehouse.storeOptions())) {
      UUID created = TrainingStream.openOrCreate(store, wanted).id();
      if (!created.equals(wanted.id()) && !ignoreIfExists) {
        throw new TableAlreadyExistException(getName(), path);
      }
    } catch (LakestreamException e) {
      throw new CatalogException("Table " + path.getFullName() + ": " + e.getMessage(), e);
    }
  }

  /** Whether the table is there only because its drop was interrupted. */
  private Optional<CatalogException> halfDropped(ObjectPath path) {
    try {
      warehouse.ask(path, stream -> stream.log().newest());
      return Optional.empty();
    } catch (StreamDroppedException e) {
      return Optional.of(
          new CatalogException(
              "The drop of table "
                  + path.getFullName()
                  + " was interrupted: DROP TABLE it once more before it is created again. "
                  + e.getMessage(),
              e));
    } catch (LakestreamException unreadable) {
      return Optional.empty(); // whoever uses the table is told
    }
  }

  @Override
  public void dropTable(ObjectPath path, boolean ignoreIfNotExists) throws TableNotExistException {
    if (isStream(path)) {
      warehouse.dropTable(path);
    } else if (!ignoreIfNotExists) {
      throw new TableNotExistException(getName(), path);
    }
  }

  @Override
  public List<String> listProcedures(String database) throws DatabaseNotExistException {
    if (database.equals(Procedures.DATABASE)) {
      return Procedures.names();
    }
    requireDatabase(database);
    return List.of();
  }

  @Override
  public Procedure getProcedure(ObjectPath path) throws ProcedureNotExistException {
    return Procedures.find(path, getDefaultDatabase(), this::connectorOf)
        .orElseThrow(() -> new ProcedureNotExistException(getName(), path));
  }

  /** Opens the stream of a table for a procedure, which closes its store. */
  private TrainingStream connectorOf(ObjectPath table) {
    if (!isStream(table)) {
      throw new CatalogException(
          "There is no table " + table.getFullName() + " in catalog " + getName() + ".");
    }
    return TrainingStream.open(Stores.open(warehouse.addressOf(table), warehouse.storeOptions()));
  }

  /** The schema of a stream that is made for a table. */
  static String schemaText(String format, RowType columns) {
    return new StreamSchema(format, columns).toText();
  }

  /** The slice format of a stream that is made for a table. */
  static String sliceFormat(Map<String, String> options) {
    String format =
        options.getOrDefault(
            LakestreamTableOptions.FORMAT.key(), LakestreamTableOptions.FORMAT.defaultValue());
    return format.equals(SliceFormats.ARROW) ? SliceFormats.ARROW : SliceFormats.RECORDS;
  }

  /** Without the store's options. */
  @Override
  public String toString() {
    return "Lakestream catalog " + getName() + " over " + address;
  }
}
