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

import java.util.List;
import org.apache.flink.table.catalog.AbstractCatalog;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogFunction;
import org.apache.flink.table.catalog.CatalogPartition;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.FunctionNotExistException;
import org.apache.flink.table.catalog.exceptions.PartitionNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.catalog.stats.CatalogColumnStatistics;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.expressions.Expression;

/**
 * A catalog of tables alone: what is said of views, partitions, functions and stored statistics is
 * that there are none.
 */
abstract class PlainCatalog extends AbstractCatalog {

  PlainCatalog(String name, String defaultDatabase) {
    super(name, defaultDatabase);
  }

  private UnsupportedOperationException unsupported(String what) {
    return new UnsupportedOperationException(
        "Catalog " + getName() + " holds streams, which have no " + what + ".");
  }

  @Override
  public List<String> listViews(String database) {
    return List.of();
  }

  @Override
  public List<CatalogPartitionSpec> listPartitions(ObjectPath table)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), table);
  }

  @Override
  public List<CatalogPartitionSpec> listPartitions(ObjectPath table, CatalogPartitionSpec spec)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), table);
  }

  @Override
  public List<CatalogPartitionSpec> listPartitionsByFilter(
      ObjectPath table, List<Expression> filters) throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), table);
  }

  @Override
  public CatalogPartition getPartition(ObjectPath table, CatalogPartitionSpec spec)
      throws PartitionNotExistException {
    throw new PartitionNotExistException(getName(), table, spec);
  }

  @Override
  public boolean partitionExists(ObjectPath table, CatalogPartitionSpec spec) {
    return false;
  }

  @Override
  public void createPartition(
      ObjectPath table, CatalogPartitionSpec spec, CatalogPartition partition, boolean ignore) {
    throw unsupported("partitions");
  }

  @Override
  public void dropPartition(ObjectPath table, CatalogPartitionSpec spec, boolean ignore) {
    throw unsupported("partitions");
  }

  @Override
  public void alterPartition(
      ObjectPath table, CatalogPartitionSpec spec, CatalogPartition partition, boolean ignore) {
    throw unsupported("partitions");
  }

  @Override
  public List<String> listFunctions(String database) {
    return List.of();
  }

  @Override
  public CatalogFunction getFunction(ObjectPath function) throws FunctionNotExistException {
    throw new FunctionNotExistException(getName(), function);
  }

  @Override
  public boolean functionExists(ObjectPath function) {
    return false;
  }

  @Override
  public void createFunction(ObjectPath path, CatalogFunction function, boolean ignore) {
    throw unsupported("functions");
  }

  @Override
  public void alterFunction(ObjectPath path, CatalogFunction function, boolean ignore) {
    throw unsupported("functions");
  }

  @Override
  public void dropFunction(ObjectPath path, boolean ignore) {
    throw unsupported("functions");
  }

  /** The source reports what the manifest knows, which is newer than anything kept here. */
  @Override
  public CatalogTableStatistics getTableStatistics(ObjectPath table) {
    return CatalogTableStatistics.UNKNOWN;
  }

  @Override
  public CatalogColumnStatistics getTableColumnStatistics(ObjectPath table) {
    return CatalogColumnStatistics.UNKNOWN;
  }

  @Override
  public CatalogTableStatistics getPartitionStatistics(
      ObjectPath table, CatalogPartitionSpec spec) {
    return CatalogTableStatistics.UNKNOWN;
  }

  @Override
  public CatalogColumnStatistics getPartitionColumnStatistics(
      ObjectPath table, CatalogPartitionSpec spec) {
    return CatalogColumnStatistics.UNKNOWN;
  }

  @Override
  public void alterTableStatistics(
      ObjectPath table, CatalogTableStatistics statistics, boolean ignore) {
    throw unsupported("stored statistics");
  }

  @Override
  public void alterTableColumnStatistics(
      ObjectPath table, CatalogColumnStatistics statistics, boolean ignore) {
    throw unsupported("stored statistics");
  }

  @Override
  public void alterPartitionStatistics(
      ObjectPath table,
      CatalogPartitionSpec spec,
      CatalogTableStatistics statistics,
      boolean ignore) {
    throw unsupported("partitions");
  }

  @Override
  public void alterPartitionColumnStatistics(
      ObjectPath table,
      CatalogPartitionSpec spec,
      CatalogColumnStatistics statistics,
      boolean ignore) {
    throw unsupported("partitions");
  }

  /** What a stream was created as, it stays. */
  @Override
  public void alterTable(ObjectPath table, CatalogBaseTable changed, boolean ignore) {
    throw new UnsupportedOperationException(
        "Table "
            + table.getFullName()
            + " cannot be altered: what a stream was created as, it stays, because its readers rely on it. Use an"
            + " OPTIONS hint for one query, or create another table with LIKE.");
  }

  @Override
  public void renameTable(ObjectPath table, String newName, boolean ignore) {
    throw new UnsupportedOperationException(
        "Table "
            + table.getFullName()
            + " cannot be renamed: its objects would have to be copied one by one, while jobs write them. Copy the"
            + " whole prefix with the store's own tools while nothing writes; it is then a copy of the same stream.");
  }
}
