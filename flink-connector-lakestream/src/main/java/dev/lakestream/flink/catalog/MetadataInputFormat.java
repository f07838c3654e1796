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
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.api.common.io.NonParallelInput;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.table.data.RowData;

/** Reads a metadata table of one stream. */
final class MetadataInputFormat extends GenericInputFormat<RowData> implements NonParallelInput {

  private static final long serialVersionUID = 1L;

  private final MetadataTable table;
  private final String address;
  private final HashMap<String, String> storeOptions;

  private transient ObjectStore store;
  private transient Iterator<RowData> rows;

  MetadataInputFormat(MetadataTable table, String address, Map<String, String> storeOptions) {
    this.table = table;
    this.address = address;
    this.storeOptions = new HashMap<>(storeOptions);
  }

  @Override
  public void open(GenericInputSplit split) throws java.io.IOException {
    super.open(split);
    store = Stores.open(address, storeOptions);
    rows = table.rows(TrainingStream.open(store));
  }

  @Override
  public boolean reachedEnd() {
    return !rows.hasNext();
  }

  @Override
  public RowData nextRecord(RowData reuse) {
    return rows.next();
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
    }
  }

  /** Without the store's options. */
  @Override
  public String toString() {
    return "Lakestream " + table + " of " + address;
  }
}
