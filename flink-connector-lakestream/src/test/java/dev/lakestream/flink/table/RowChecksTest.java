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

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.assembly.InvalidSampleException;
import java.time.LocalDateTime;
import java.util.Collections;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** Field fault B30: what breaks a type is refused when it is written, by its path. */
class RowChecksTest {

  private static void accepts(DataType type, Object value) {
    assertThatCode(() -> check(type, value)).doesNotThrowAnyException();
  }

  private static void refuses(DataType type, Object value, String message) {
    assertThatThrownBy(() -> check(type, value))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining(message);
  }

  private static void check(DataType type, Object value) {
    RowType columns = RowType.of(new LogicalType[] {type.getLogicalType()}, new String[] {"c"});
    new RowChecks(columns).check(GenericRowData.of(value));
  }

  private static GenericArrayData array(Object... values) {
    return new GenericArrayData(values);
  }

  @Test
  void aNullWhereNoneMayBeIsNamedByItsPath() {
    refuses(DataTypes.INT().notNull(), null, "Field 'c' of a row is null");
    DataType list = DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD("v", DataTypes.INT().notNull())));
    accepts(list, null);
    accepts(list, array(GenericRowData.of(1), null));
    refuses(list, array(null, GenericRowData.of((Object) null)), "'c[1].v'");
    DataType map = DataTypes.MAP(DataTypes.STRING(), DataTypes.INT().notNull());
    accepts(map, new GenericMapData(Map.of(StringData.fromString("k"), 1)));
    refuses(
        map,
        new GenericMapData(Collections.singletonMap(StringData.fromString("k"), null)),
        "'c.value[0]'");
    refuses(map, new GenericMapData(Collections.singletonMap(null, 1)), "'c.key[0]'");
  }

  @Test
  void lengthsAreThoseOfTheType() {
    StringData five = StringData.fromString("ab中😀e");
    accepts(DataTypes.VARCHAR(5), five);
    refuses(DataTypes.VARCHAR(4), five, "has 5 characters and is declared VARCHAR(4)");
    accepts(DataTypes.CHAR(3), StringData.fromString("ab"));
    accepts(DataTypes.BINARY(2), new byte[2]);
    refuses(DataTypes.BINARY(2), new byte[1], "has 1 bytes");
    accepts(DataTypes.VARBINARY(2), new byte[0]);
    refuses(DataTypes.ARRAY(DataTypes.VARBINARY(2)), array(new byte[2], new byte[3]), "'c[1]'");
  }

  @Test
  void nanosecondsReachAsFarAs64Bits() {
    TimestampData far = TimestampData.fromLocalDateTime(LocalDateTime.of(9999, 12, 31, 0, 0));
    accepts(DataTypes.TIMESTAMP(6), far);
    refuses(DataTypes.TIMESTAMP(9), far, "2262-04-11");
    refuses(
        DataTypes.TIMESTAMP_LTZ(7),
        TimestampData.fromLocalDateTime(LocalDateTime.of(1600, 1, 1, 0, 0)),
        "1677-09-22");
    accepts(
        DataTypes.TIMESTAMP(9),
        TimestampData.fromLocalDateTime(LocalDateTime.of(2262, 4, 11, 23, 47, 16)));
  }
}
