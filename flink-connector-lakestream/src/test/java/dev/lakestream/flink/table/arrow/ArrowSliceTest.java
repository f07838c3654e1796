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
import static dev.lakestream.flink.table.arrow.ArrowSlices.plain;
import static dev.lakestream.flink.table.arrow.ArrowSlices.read;
import static dev.lakestream.flink.table.arrow.ArrowSlices.readWithArrow;
import static dev.lakestream.flink.table.arrow.ArrowSlices.table;
import static dev.lakestream.flink.table.arrow.ArrowSlices.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** The values of a slice, and damage to it. */
class ArrowSliceTest {

  @Property(tries = 150)
  void everyValueOfEveryTypeComesBackBitByBit(@ForAll long seed) throws IOException {
    RandomRows random = new RandomRows(seed);
    RowType table = random.table(1 + new Random(seed).nextInt(6));
    List<RowData> rows = random.rows(table, 1 + new Random(seed).nextInt(20));
    ByteBuffer slice = write(table, rows);
    assertThat(plain(table, read(table, slice, rows.size()))).isEqualTo(plain(table, rows));
    readWithArrow(slice, rows.size());
  }

  /** Field fault B30: nulls inside nested types, and decimals. */
  @Test
  void nullAndEmptyAreNotTheSame() {
    RowType table =
        table(
            DataTypes.ARRAY(DataTypes.INT()),
            DataTypes.BYTES(),
            DataTypes.STRING(),
            DataTypes.ROW(DataTypes.INT(), DataTypes.STRING()),
            DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.INT()),
            DataTypes.DECIMAL(38, 18));
    List<RowData> rows =
        List.of(
            GenericRowData.of(null, null, null, null, null, null),
            GenericRowData.of(
                new GenericArrayData(new Object[0]),
                new byte[0],
                StringData.fromString(""),
                GenericRowData.of(null, null),
                new GenericMapData(Map.of()),
                decimal("99999999999999999999.999999999999999999")),
            GenericRowData.of(
                new GenericArrayData(new Object[] {null, 1, null}),
                new byte[] {0},
                null,
                null,
                null,
                decimal("-99999999999999999999.999999999999999999")));
    assertThat(plain(table, read(table, write(table, rows), rows.size())))
        .isEqualTo(plain(table, rows));
  }

  @Test
  void anEmptySliceHasNoRows() {
    assertThat(read(table(DataTypes.INT()), ByteBuffer.allocate(0), 0)).isEmpty();
  }

  @Property(tries = 300)
  void damageIsToldAndNothingElseHappens(@ForAll long seed) {
    RandomRows rows = new RandomRows(seed);
    RowType table = rows.table(3);
    ByteBuffer slice = write(table, rows.rows(table, 5));
    Random random = new Random(seed);
    byte[] damaged = Arrays.copyOf(slice.array(), slice.limit());
    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    ByteBuffer bytes = ByteBuffer.wrap(damaged, 0, damaged.length - random.nextInt(2) * 13);
    try {
      read(table, bytes, 5);
    } catch (CorruptObjectException | ColumnMismatchException e) {
      assertThat(e).hasMessageContaining(WHAT);
    }
  }

  @Test
  void anotherNumberOfRowsThanTheBundleSaysIsDamage() {
    RowType table = table(DataTypes.INT());
    ByteBuffer slice = write(table, List.of(GenericRowData.of(1), GenericRowData.of(2)));
    assertThatThrownBy(() -> read(table, slice, 3))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("holds 2 rows; the bundle says 3");
  }

  private static DecimalData decimal(String text) {
    return DecimalData.fromBigDecimal(new BigDecimal(text), 38, 18);
  }
}
