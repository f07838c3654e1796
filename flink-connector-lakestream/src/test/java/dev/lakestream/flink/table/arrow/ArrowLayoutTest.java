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

import static dev.lakestream.flink.table.arrow.ArrowSlices.WHAT;
import static dev.lakestream.flink.table.arrow.ArrowSlices.arrow;
import static dev.lakestream.flink.table.arrow.ArrowSlices.plain;
import static dev.lakestream.flink.table.arrow.ArrowSlices.read;
import static dev.lakestream.flink.table.arrow.ArrowSlices.table;
import static dev.lakestream.flink.table.arrow.ArrowSlices.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** Layouts of buffers that others write, and that others insist on. */
class ArrowLayoutTest {

  /**
   * Field fault B41: a batch that another writer cut out of a longer one, from row 3 on, with
   * offsets that do not begin at 0 and bits that do not begin at a byte.
   */
  @Test
  void aBatchThatAnotherWriterCutOutIsReadAsItsRows() throws IOException {
    RowType table =
        table(
            DataTypes.BOOLEAN(),
            DataTypes.STRING(),
            DataTypes.ARRAY(DataTypes.STRING()),
            DataTypes.ROW(DataTypes.INT(), DataTypes.BYTES()),
            DataTypes.INT());
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < 21; i++) {
      Object[] list =
          i % 5 == 0 ? new Object[0] : new Object[] {StringData.fromString("l" + i), null};
      rows.add(
          GenericRowData.of(
              i % 4 == 3 ? null : i % 3 == 0,
              i % 3 == 1 ? null : StringData.fromString("s".repeat(i % 4) + i),
              i % 7 == 6 ? null : new GenericArrayData(list),
              i % 6 == 5 ? null : GenericRowData.of(i, i % 2 == 0 ? null : new byte[i]),
              null));
    }
    ByteBuffer whole = new ArrowSliceWriter(table, false).write(rows);
    for (int[] cut : new int[][] {{3, 13}, {0, 21}, {20, 1}, {5, 0}}) {
      try (BufferAllocator allocator = new RootAllocator();
          ArrowStreamReader reader = arrow(whole, allocator)) {
        assertThat(reader.loadNextBatch()).isTrue();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (VectorSchemaRoot part = reader.getVectorSchemaRoot().slice(cut[0], cut[1]);
            ArrowStreamWriter writer = new ArrowStreamWriter(part, null, bytes)) {
          writer.writeBatch();
        }
        ByteBuffer slice = ByteBuffer.wrap(bytes.toByteArray());
        assertThat(plain(table, read(table, slice, cut[1])))
            .isEqualTo(plain(table, rows.subList(cut[0], cut[0] + cut[1])));
      }
    }
  }

  /** Field fault B41: an offset that others insist on. */
  @Test
  void listsHaveTheirFirstOffsetEvenWhereEverythingIsEmpty() throws IOException {
    RowType table = table(DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.STRING())));
    ByteBuffer slice =
        write(table, List.of(GenericRowData.of(new GenericArrayData(new Object[0]))));
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader = arrow(slice, allocator)) {
      assertThat(reader.loadNextBatch()).isTrue();
      ListVector lists = (ListVector) reader.getVectorSchemaRoot().getVector(0);
      assertThat(lists.getObject(0)).isEqualTo(List.of());
    }
    ArrowMessages.Batch batch = ArrowMessages.parse(slice, WHAT).batches().get(0);
    // validity and offsets of the outer list, of the inner one, and of its strings
    assertThat(batch.batch().buffers(1).length()).isGreaterThanOrEqualTo(8);
    assertThat(batch.batch().buffers(3).length()).isGreaterThanOrEqualTo(4);
    assertThat(batch.batch().buffers(5).length()).isGreaterThanOrEqualTo(4);
  }
}
