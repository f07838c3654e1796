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
import static dev.lakestream.flink.table.arrow.ArrowSlices.read;
import static dev.lakestream.flink.table.arrow.ArrowSlices.table;
import static dev.lakestream.flink.table.arrow.ArrowSlices.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** Which columns of a slice a table reads, and which it refuses. */
class ArrowSchemaTest {

  @Test
  void columnsAreReadByNameInAnyOrderAndFromInsideRows() {
    RowType written =
        RowType.of(
            new LogicalType[] {
              DataTypes.BIGINT().getLogicalType(),
              DataTypes.ROW(
                      DataTypes.FIELD("x", DataTypes.INT()),
                      DataTypes.FIELD("y", DataTypes.ROW(DataTypes.FIELD("z", DataTypes.STRING()))))
                  .getLogicalType(),
              DataTypes.BYTES().getLogicalType()
            },
            new String[] {"id", "nested", "payload"});
    List<RowData> rows =
        List.of(
            GenericRowData.of(
                1L,
                GenericRowData.of(5, GenericRowData.of(StringData.fromString("deep"))),
                new byte[9]),
            GenericRowData.of(2L, GenericRowData.of(6, null), null),
            GenericRowData.of(3L, null, null));
    ByteBuffer slice = write(written, rows);
    RowType declared =
        RowType.of(
            new LogicalType[] {written.getTypeAt(1), written.getTypeAt(0)},
            new String[] {"nested", "id"});
    List<GenericRowData> read =
        new ArrowSliceReader(declared, new int[][] {{0, 1, 0}, {1}, {0, 0}})
            .read(slice, 3, 4, WHAT);
    assertThat(read)
        .containsExactly(
            GenericRowData.of(StringData.fromString("deep"), 1L, 5, null),
            GenericRowData.of(null, 2L, 6, null),
            GenericRowData.of(null, 3L, null, null));
  }

  @Test
  void anotherTypeAndAMissingColumnAreToldWithBothSides() {
    RowType written = table(DataTypes.INT());
    ByteBuffer slice = write(written, List.of(GenericRowData.of(1)));
    assertThatThrownBy(() -> read(table(DataTypes.BIGINT()), slice, 1))
        .isInstanceOf(ColumnMismatchException.class)
        .hasMessageContaining("Int(32, true)")
        .hasMessageContaining("BIGINT");
    RowType other = RowType.of(new LogicalType[] {written.getTypeAt(0)}, new String[] {"other"});
    assertThatThrownBy(() -> read(other, slice, 1))
        .isInstanceOf(ColumnMismatchException.class)
        .hasMessageContaining("no column 'other'")
        .hasMessageContaining("[f0]");
  }

  /** Field fault B30: a decimal of another precision is not misread, nor a row of other fields. */
  @Test
  void aTypeThatDiffersInsideIsNeverReadAsAnother() {
    neverReadAs(DataTypes.DECIMAL(38, 18), DataTypes.DECIMAL(38, 17));
    neverReadAs(DataTypes.DECIMAL(38, 18), DataTypes.DECIMAL(10, 2));
    neverReadAs(DataTypes.ARRAY(DataTypes.DECIMAL(9, 2)), DataTypes.ARRAY(DataTypes.DECIMAL(9, 3)));
    neverReadAs(DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(6));
    neverReadAs(DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP_LTZ(3));
    neverReadAs(row("a", "b"), row("b", "a"));
    neverReadAs(row("key", "value"), row("value", "key"));
    neverReadAs(
        DataTypes.MAP(DataTypes.INT().notNull(), row("key", "value")),
        DataTypes.MAP(DataTypes.INT().notNull(), row("value", "key")));
  }

  private static DataType row(String first, String second) {
    return DataTypes.ROW(
        DataTypes.FIELD(first, DataTypes.STRING()), DataTypes.FIELD(second, DataTypes.STRING()));
  }

  private static void neverReadAs(DataType written, DataType declared) {
    ByteBuffer slice = write(table(written), List.of(GenericRowData.of((Object) null)));
    assertThat(read(table(written), slice, 1)).containsExactly(GenericRowData.of((Object) null));
    assertThatThrownBy(() -> read(table(declared), slice, 1))
        .as("%s as %s", written, declared)
        .isInstanceOf(ColumnMismatchException.class);
  }

  @Test
  void aTypeThatArrowCannotHoldIsNamedWithItsColumn() {
    RowType table =
        RowType.of(
            new LogicalType[] {
              DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD("v", DataTypes.NULL())))
                  .getLogicalType()
            },
            new String[] {"list"});
    assertThatThrownBy(() -> new ArrowSliceWriter(table, true))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'list[].v'")
        .hasMessageContaining("NULL");
  }
}
