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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
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
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * Takes values in Flink's internal data structures out of a vector. The values have memory of their
 * own. The vector is of the type that {@link ArrowTypes} says, or holds strings or bytes with
 * 64-bit offsets.
 */
final class ColumnReader {

  private final ValueVector vector;
  private final IntFunction<Object> getter;

  private ColumnReader(ValueVector vector, IntFunction<Object> getter) {
    this.vector = vector;
    this.getter = getter;
  }

  /** Null: SQL's NULL. */
  Object read(int index) {
    return vector.isNull(index) ? null : getter.apply(index);
  }

  static ColumnReader of(ValueVector vector, LogicalType type) {
    return new ColumnReader(vector, getter(vector, type));
  }

  private static IntFunction<Object> getter(ValueVector vector, LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> {
        IntFunction<byte[]> bytes = bytes(vector);
        yield i -> StringData.fromBytes(bytes.apply(i));
      }
      case BOOLEAN -> i -> ((BitVector) vector).get(i) != 0;
      case BINARY -> i -> ((FixedSizeBinaryVector) vector).get(i);
      case VARBINARY -> bytes(vector)::apply;
      case DECIMAL -> {
        int precision = ((DecimalType) type).getPrecision();
        int scale = ((DecimalType) type).getScale();
        yield i ->
            DecimalData.fromBigDecimal(((DecimalVector) vector).getObject(i), precision, scale);
      }
      case TINYINT -> i -> ((TinyIntVector) vector).get(i);
      case SMALLINT -> i -> ((SmallIntVector) vector).get(i);
      case INTEGER -> i -> ((IntVector) vector).get(i);
      case BIGINT -> i -> ((BigIntVector) vector).get(i);
      case FLOAT -> i -> ((Float4Vector) vector).get(i);
      case DOUBLE -> i -> ((Float8Vector) vector).get(i);
      case DATE -> i -> ((DateDayVector) vector).get(i);
      case TIME_WITHOUT_TIME_ZONE -> i -> ((TimeMilliVector) vector).get(i);
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
        TimeUnit unit = ((ArrowType.Timestamp) vector.getField().getType()).getUnit();
        yield i -> Timestamps.fromUnit(((TimeStampVector) vector).get(i), unit);
      }
      case INTERVAL_YEAR_MONTH -> i -> ((IntervalYearVector) vector).get(i);
      case INTERVAL_DAY_TIME -> i -> DurationVector.get(vector.getDataBuffer(), i);
      case ARRAY -> arrays((ListVector) vector, ((ArrayType) type).getElementType());
      case MAP ->
          maps((ListVector) vector, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET ->
          maps((ListVector) vector, ((MultisetType) type).getElementType(), new IntType(false));
      case ROW, STRUCTURED_TYPE -> rows((StructVector) vector, type);
      case DISTINCT_TYPE -> getter(vector, ((DistinctType) type).getSourceType());
      default -> throw new IllegalStateException("No Arrow vector for " + type + ".");
    };
  }

  /** Of strings or bytes; nothing is allocated by an offset that was not checked. */
  private static IntFunction<byte[]> bytes(ValueVector vector) {
    if (vector instanceof BaseLargeVariableWidthVector large) {
      return i -> bytes(large, offset(large, i), offset(large, i + 1));
    }
    BaseVariableWidthVector small = (BaseVariableWidthVector) vector;
    return i -> bytes(small, small.getStartOffset(i), small.getEndOffset(i));
  }

  private static long offset(BaseLargeVariableWidthVector vector, int i) {
    return vector.getOffsetBuffer().getLong((long) i * Long.BYTES);
  }

  private static byte[] bytes(ValueVector vector, long start, long end) {
    checkRange(start, end, vector.getDataBuffer().capacity());
    byte[] bytes = new byte[(int) (end - start)];
    vector.getDataBuffer().getBytes(start, bytes);
    return bytes;
  }

  private static void checkRange(long start, long end, long available) {
    if (start < 0 || end < start || end > available || end - start > Integer.MAX_VALUE - 8) {
      throw new IndexOutOfBoundsException(
          "a value reaches from " + start + " to " + end + " of " + available);
    }
  }

  private static IntFunction<Object> arrays(ListVector lists, LogicalType elementType) {
    ColumnReader elements = of(lists.getDataVector(), elementType);
    return i -> {
      int start = lists.getElementStartIndex(i);
      int end = lists.getElementEndIndex(i);
      checkRange(start, end, lists.getDataVector().getValueCount());
      Object[] array = new Object[end - start];
      for (int k = 0; k < array.length; k++) {
        array[k] = elements.read(start + k);
      }
      return new GenericArrayData(array);
    };
  }

  private static IntFunction<Object> maps(
      ListVector maps, LogicalType keyType, LogicalType valueType) {
    StructVector entries = (StructVector) maps.getDataVector();
    ColumnReader keys = of(entries.getChildrenFromFields().get(0), keyType);
    ColumnReader values = of(entries.getChildrenFromFields().get(1), valueType);
    return i -> {
      int start = maps.getElementStartIndex(i);
      int end = maps.getElementEndIndex(i);
      checkRange(start, end, entries.getValueCount());
      Map<Object, Object> map = new LinkedHashMap<>();
      for (int k = start; k < end; k++) {
        map.put(keys.read(k), values.read(k));
      }
      return new GenericMapData(map);
    };
  }

  private static IntFunction<Object> rows(StructVector structs, LogicalType type) {
    List<LogicalType> types = LogicalTypeChecks.getFieldTypes(type);
    List<FieldVector> children = structs.getChildrenFromFields();
    List<ColumnReader> fields = new ArrayList<>();
    for (int f = 0; f < types.size(); f++) {
      fields.add(of(children.get(f), types.get(f)));
    }
    return i -> {
      GenericRowData row = new GenericRowData(fields.size());
      for (int f = 0; f < fields.size(); f++) {
        row.setField(f, fields.get(f).read(i));
      }
      return row;
    };
  }

  /** A field inside rows: null where the row is. */
  static ColumnReader inside(StructVector rows, ColumnReader field) {
    return new ColumnReader(rows, field::read);
  }
}
