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
package dev.lakestream.flink.table.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** Rows to the bytes of a slice and back, by this module's code and by Arrow's own. */
final class ArrowSlices {

  /** What errors call the slice. */
  static final String WHAT = "The slice";

  private ArrowSlices() {}

  /** A table of columns {@code f0}, {@code f1}, … */
  static RowType table(DataType... types) {
    return RowType.of(
        Arrays.stream(types).map(DataType::getLogicalType).toArray(LogicalType[]::new));
  }

  static ByteBuffer write(RowType table, List<? extends RowData> rows) {
    return new ArrowSliceWriter(table, true).write(rows);
  }

  /** All columns. */
  static List<GenericRowData> read(RowType table, ByteBuffer slice, int rows) {
    int[][] all = new int[table.getFieldCount()][];
    Arrays.setAll(all, i -> new int[] {i});
    return new ArrowSliceReader(table, all).read(slice, rows, table.getFieldCount(), WHAT);
  }

  /** The rows in a form that can be compared. */
  static List<Object> plain(RowType table, List<? extends RowData> rows) {
    List<Object> plain = new ArrayList<>();
    rows.forEach(row -> plain.add(RandomRows.plain(row, table)));
    return plain;
  }

  static ArrowStreamReader arrow(ByteBuffer slice, BufferAllocator allocator) {
    return new ArrowStreamReader(
        new ByteArrayInputStream(slice.array(), slice.position(), slice.remaining()), allocator);
  }

  /** Looks at every value with Arrow's reader: so many rows, in one batch. */
  static void readWithArrow(ByteBuffer slice, int rows) throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader = arrow(slice, allocator)) {
      assertThat(reader.loadNextBatch()).isTrue();
      assertThat(reader.getVectorSchemaRoot().getRowCount()).isEqualTo(rows);
      for (FieldVector vector : reader.getVectorSchemaRoot().getFieldVectors()) {
        for (int i = 0; i < rows; i++) {
          assertThat(vector.getObject(i) == null).isEqualTo(vector.isNull(i));
        }
      }
      assertThat(reader.loadNextBatch()).isFalse();
    }
  }
}
