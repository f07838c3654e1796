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

import dev.lakestream.flink.source.RecordIterator;
import dev.lakestream.flink.source.SliceMetadata;
import dev.lakestream.format.CorruptObjectException;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/**
 * What the rows that are read consist of: some columns, and metadata behind them.
 *
 * @param columns how many
 * @param metadata in order
 */
record RowShape(int columns, List<MetadataKey> metadata, TypeInformation<RowData> type)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  RowShape {
    metadata = List.copyOf(metadata);
  }

  int arity() {
    return columns + metadata.size();
  }

  /** Makes the row with an index of a slice, all but its metadata; null: there is none. */
  interface Rows {
    GenericRowData get(int index) throws IOException;
  }

  /**
   * The rows of a slice, with their metadata.
   *
   * @param from the first index
   */
  RecordIterator<RowData> iterator(SliceMetadata slice, long from, Rows rows) {
    Object[] values = new Object[metadata.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = metadata.get(i).of(slice, 0);
    }
    return new Iterator(slice, values, from, rows);
  }

  /** Refuses a slice that holds another number of rows than the bundle says. */
  static void requireCount(SliceMetadata slice, int found) {
    if (found != slice.records()) {
      throw new CorruptObjectException(
          name(slice) + " holds " + found + " rows; the bundle says " + slice.records() + ".");
    }
  }

  /** Names a slice in errors. */
  static String name(SliceMetadata slice) {
    return "Slice ("
        + slice.dp()
        + ", "
        + slice.cp()
        + ") of step "
        + slice.step()
        + " in "
        + slice.bundle();
  }

  private final class Iterator implements RecordIterator<RowData> {
    private final SliceMetadata slice;
    private final Object[] values;
    private final Rows rows;
    private int index;

    Iterator(SliceMetadata slice, Object[] values, long from, Rows rows) {
      this.slice = slice;
      this.values = values;
      this.rows = rows;
      this.index = (int) Math.min(from, slice.records()) - 1;
    }

    @Override
    public boolean advance() {
      index++;
      return index < slice.records();
    }

    @Override
    public RowData record() throws IOException {
      GenericRowData row = rows.get(index);
      if (row == null) {
        return null;
      }
      for (int i = 0; i < values.length; i++) {
        boolean own = metadata.get(i) == MetadataKey.RECORD_INDEX;
        row.setField(columns + i, own ? (Object) index : values[i]);
      }
      return row;
    }

    @Override
    public long index() {
      return index;
    }
  }
}
