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

import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.DurationVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.IntervalYearVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Puts values of Flink's internal data structures into a vector, index by index, in ascending
 * order. What a value must be was checked before it came here.
 */
final class ColumnWriter {

  private final FieldVector vector;
  private final ObjIntConsumer<Object> setter;

  private ColumnWriter(FieldVector vector, ObjIntConsumer<Object> setter) {
    this.vector = vector;
    this.setter = setter;
  }

  /**
   * @param value null: SQL's NULL
   */
  void write(int index, Object value) {
    if (value == null) {
      vector.setNull(index);
    } else {
      setter.accept(value, index);
    }
  }

  static ColumnWriter of(FieldVector vector, LogicalType type) {
    return new ColumnWriter(vector, setter(vector, type));
  }

  private static ObjIntConsumer<Object> setter(FieldVector vector, LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> {
        VarCharVector chars = (VarCharVector) vector;
        yield (value, i) -> chars.setSafe(i, ((StringData) value).toBytes());
      }
      case BOOLEAN -> {
        BitVector bits = (BitVector) vector;
        yield (value, i) -> bits.setSafe(i, (boolean) value ? 1 : 0);
      }
      case BINARY -> {
        FixedSizeBinaryVector bytes = (FixedSizeBinaryVector) vector;
        yield (value, i) -> bytes.setSafe(i, (byte[]) value);
      }
      case VARBINARY -> {
        VarBinaryVector bytes = (VarBinaryVector) vector;
        yield (value, i) -> bytes.setSafe(i, (byte[]) value);
      }
      case DECIMAL -> {
        DecimalVector decimals = (DecimalVector) vector;
        yield (value, i) -> decimals.setSafe(i, ((DecimalData) value).toBigDecimal());
      }
      case TINYINT -> {
        TinyIntVector ints = (TinyIntVector) vector;
        yield (value, i) -> ints.setSafe(i, (byte) value);
      }
      case SMALLINT -> {
        SmallIntVector ints = (SmallIntVector) vector;
        yield (value, i) -> ints.setSafe(i, (short) value);
      }
      case INTEGER -> {
        IntVector ints = (IntVector) vector;
        yield (value, i) -> ints.setSafe(i, (int) value);
      }
      case BIGINT -> {
        BigIntVector ints = (BigIntVector) vector;
        yield (value, i) -> ints.setSafe(i, (long) value);
      }
      case FLOAT -> {
        Float4Vector floats = (Float4Vector) vector;
        yield (value, i) -> floats.setSafe(i, (float) value);
      }
      case DOUBLE -> {
        Float8Vector floats = (Float8Vector) vector;
        yield (value, i) -> floats.setSafe(i, (double) value);
      }
      case DATE -> {
        DateDayVector days = (DateDayVector) vector;
        yield (value, i) -> days.setSafe(i, (int) value);
      }
      case TIME_WITHOUT_TIME_ZONE -> {
        TimeMilliVector millis = (TimeMilliVector) vector;
        yield (value, i) -> millis.setSafe(i, (int) value);
      }
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
        TimeStampVector times = (TimeStampVector) vector;
        var unit = ArrowTypes.timestampUnit(type);
        yield (value, i) -> times.setSafe(i, Timestamps.toUnit((TimestampData) value, unit));
      }
      case INTERVAL_YEAR_MONTH -> {
        IntervalYearVector months = (IntervalYearVector) vector;
        yield (value, i) -> months.setSafe(i, (int) value);
      }
      case INTERVAL_DAY_TIME -> {
        DurationVector millis = (DurationVector) vector;
        yield (value, i) -> millis.setSafe(i, (long) value);
      }
      case ARRAY -> arrays((ListVector) vector, ((ArrayType) type).getElementType());
      case MAP ->
          maps((ListVector) vector, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET ->
          maps((ListVector) vector, ((MultisetType) type).getElementType(), new IntType(false));
      case ROW, STRUCTURED_TYPE -> rows((StructVector) vector, type);
      case DISTINCT_TYPE -> setter(vector, ((DistinctType) type).getSourceType());
      default -> throw new IllegalStateException("No Arrow vector for " + type + ".");
    };
  }

  private static ObjIntConsumer<Object> arrays(ListVector lists, LogicalType elementType) {
    ColumnWriter elements = of(lists.getDataVector(), elementType);
    ArrayData.ElementGetter getter = ArrayData.createElementGetter(elementType);
    return (value, i) -> {
      ArrayData array = (ArrayData) value;
      int start = lists.startNewValue(i);
      for (int k = 0; k < array.size(); k++) {
        elements.write(start + k, getter.getElementOrNull(array, k));
      }
      lists.endValue(i, array.size());
    };
  }

  private static ObjIntConsumer<Object> maps(
      ListVector maps, LogicalType keyType, LogicalType valueType) {
    StructVector entries = (StructVector) maps.getDataVector();
    ColumnWriter keys = of(entries.getChildrenFromFields().get(0), keyType);
    ColumnWriter values = of(entries.getChildrenFromFields().get(1), valueType);
    ArrayData.ElementGetter keyGetter = ArrayData.createElementGetter(keyType);
    ArrayData.ElementGetter valueGetter = ArrayData.createElementGetter(valueType);
    return (value, i) -> {
      MapData map = (MapData) value;
      ArrayData keyArray = map.keyArray();
      ArrayData valueArray = map.valueArray();
      int start = maps.startNewValue(i);
      for (int k = 0; k < map.size(); k++) {
        entries.setIndexDefined(start + k);
        keys.write(start + k, keyGetter.getElementOrNull(keyArray, k));
        values.write(start + k, valueGetter.getElementOrNull(valueArray, k));
      }
      maps.endValue(i, map.size());
    };
  }

  private static ObjIntConsumer<Object> rows(StructVector structs, LogicalType type) {
    List<LogicalType> types = LogicalTypeChecks.getFieldTypes(type);
    List<ColumnWriter> fields = new ArrayList<>();
    RowData.FieldGetter[] getters = new RowData.FieldGetter[types.size()];
    for (int f = 0; f < types.size(); f++) {
      fields.add(of(structs.getChildrenFromFields().get(f), types.get(f)));
      getters[f] = RowData.createFieldGetter(types.get(f), f);
    }
    return (value, i) -> {
      structs.setIndexDefined(i);
      for (int f = 0; f < getters.length; f++) {
        fields.get(f).write(i, getters[f].getFieldOrNull((RowData) value));
      }
    };
  }
}
