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

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.BooleanType;
import org.apache.flink.table.types.logical.DateType;
import org.apache.flink.table.types.logical.DayTimeIntervalType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DoubleType;
import org.apache.flink.table.types.logical.FloatType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.SmallIntType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.TinyIntType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.YearMonthIntervalType;

/**
 * Tables of any type with rows of any value, by a seed; and values in a form that can be compared.
 */
public final class RandomRows {

  private final Random random;

  public RandomRows(long seed) {
    random = new Random(seed);
  }

  public RowType table(int columns) {
    List<RowType.RowField> fields = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      fields.add(new RowType.RowField("c" + i, type(3)));
    }
    return new RowType(false, fields);
  }

  private LogicalType type(int depth) {
    return plainOrNested(depth).copy(random.nextInt(4) != 0);
  }

  private LogicalType plainOrNested(int depth) {
    return switch (random.nextInt(depth == 0 ? 17 : 21)) {
      case 0 -> new VarCharType(VarCharType.MAX_LENGTH);
      case 1 -> new BooleanType();
      case 2 -> new BinaryType(1 + random.nextInt(9));
      case 3 -> new VarBinaryType(VarBinaryType.MAX_LENGTH);
      case 4 -> {
        int precision = 1 + random.nextInt(38);
        yield new DecimalType(precision, random.nextInt(precision + 1));
      }
      case 5 -> new TinyIntType();
      case 6 -> new SmallIntType();
      case 7 -> new IntType();
      case 8 -> new BigIntType();
      case 9 -> new FloatType();
      case 10 -> new DoubleType();
      case 11 -> new DateType();
      case 12 -> new TimeType(random.nextInt(10));
      case 13 -> new TimestampType(random.nextInt(10));
      case 14 -> new LocalZonedTimestampType(random.nextInt(10));
      case 15 -> new YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.YEAR_TO_MONTH);
      case 16 -> new DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.DAY_TO_SECOND);
      case 17 -> new ArrayType(type(depth - 1));
      case 18 -> new MapType(new VarCharType(false, 40), type(depth - 1));
      case 19 -> new MultisetType(new IntType(false));
      default -> {
        List<RowType.RowField> fields = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
          fields.add(new RowType.RowField("f" + i, type(depth - 1)));
        }
        yield new RowType(fields);
      }
    };
  }

  public List<RowData> rows(RowType table, int count) {
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add((RowData) value(table));
    }
    return rows;
  }

  private Object value(LogicalType type) {
    if (type.isNullable() && random.nextInt(4) == 0) {
      return null;
    }
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> StringData.fromString(text());
      case BOOLEAN -> random.nextBoolean();
      case BINARY -> bytes(((BinaryType) type).getLength());
      case VARBINARY -> bytes(random.nextInt(20));
      case DECIMAL -> decimal((DecimalType) type);
      case TINYINT -> (byte) random.nextInt();
      case SMALLINT -> (short) random.nextInt();
      case INTEGER, DATE, INTERVAL_YEAR_MONTH -> random.nextInt();
      case BIGINT, INTERVAL_DAY_TIME -> random.nextLong();
      case FLOAT -> Float.intBitsToFloat(random.nextInt());
      case DOUBLE -> random.nextInt(5) == 0 ? -0.0 : random.nextGaussian();
      case TIME_WITHOUT_TIME_ZONE -> random.nextInt(86_400_000);
      case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp(((TimestampType) type).getPrecision());
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          timestamp(((LocalZonedTimestampType) type).getPrecision());
      case ARRAY -> {
        Object[] elements = new Object[random.nextInt(4)];
        for (int i = 0; i < elements.length; i++) {
          elements[i] = value(((ArrayType) type).getElementType());
        }
        yield new GenericArrayData(elements);
      }
      case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET -> map(((MultisetType) type).getElementType(), new IntType(false));
      default -> {
        GenericRowData row = new GenericRowData(type.getChildren().size());
        for (int i = 0; i < row.getArity(); i++) {
          row.setField(i, value(type.getChildren().get(i)));
        }
        yield row;
      }
    };
  }

  private MapData map(LogicalType key, LogicalType value) {
    Map<Object, Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      map.put(value(key), value(value));
    }
    return new GenericMapData(map);
  }

  private String text() {
    String letters = "aé中😀 \u0000\n";
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      int at = random.nextInt(letters.codePointCount(0, letters.length()));
      text.appendCodePoint(letters.codePointAt(letters.offsetByCodePoints(0, at)));
    }
    return text.toString();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Often the greatest or the least there is. */
  private DecimalData decimal(DecimalType type) {
    BigInteger most = BigInteger.TEN.pow(type.getPrecision()).subtract(BigInteger.ONE);
    BigInteger unscaled =
        switch (random.nextInt(4)) {
          case 0 -> most;
          case 1 -> most.negate();
          case 2 -> BigInteger.ZERO;
          default -> new BigInteger(most.bitLength(), random).min(most);
        };
    BigDecimal value = new BigDecimal(unscaled, type.getScale());
    return DecimalData.fromBigDecimal(value, type.getPrecision(), type.getScale());
  }

  /** Before and after the epoch; with nanoseconds as far as they reach, else in year 1 to 9999. */
  private TimestampData timestamp(int precision) {
    long millis =
        precision > 6
            ? random.nextLong() / 1_000_001
            : -62_135_596_800_000L + Math.floorMod(random.nextLong(), 315_537_897_600_000L);
    int nanos = random.nextInt(1_000_000);
    if (precision <= 3) {
      int unit = (int) Math.pow(10, 3 - precision);
      return TimestampData.fromEpochMillis(Math.floorDiv(millis, unit) * unit);
    }
    int unit = (int) Math.pow(10, 9 - precision);
    return TimestampData.fromEpochMillis(millis, nanos / unit * unit);
  }

  /** Equal if and only if the values are, bit by bit. */
  public static Object plain(Object value, LogicalType type) {
    if (value == null) {
      return null;
    }
    return switch (type.getTypeRoot()) {
      case BINARY, VARBINARY -> ByteBuffer.wrap((byte[]) value);
      case FLOAT -> Float.floatToRawIntBits((float) value);
      case DOUBLE -> Double.doubleToRawLongBits((double) value);
      case CHAR, VARCHAR -> value.toString();
      case ARRAY -> list((ArrayData) value, ((ArrayType) type).getElementType());
      case MAP ->
          map((MapData) value, ((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET ->
          map((MapData) value, ((MultisetType) type).getElementType(), new IntType(false));
      case ROW -> {
        List<Object> fields = new ArrayList<>();
        for (int i = 0; i < type.getChildren().size(); i++) {
          LogicalType field = type.getChildren().get(i);
          fields.add(
              plain(
                  RowData.createFieldGetter(field.copy(true), i).getFieldOrNull((RowData) value),
                  field));
        }
        yield fields;
      }
      default -> value;
    };
  }

  private static List<Object> list(ArrayData array, LogicalType type) {
    ArrayData.ElementGetter getter = ArrayData.createElementGetter(type.copy(true));
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      list.add(plain(getter.getElementOrNull(array, i), type));
    }
    return list;
  }

  private static Object map(MapData map, LogicalType key, LogicalType value) {
    Map<Object, Object> plain = new LinkedHashMap<>();
    List<Object> keys = list(map.keyArray(), key);
    List<Object> values = list(map.valueArray(), value);
    for (int i = 0; i < keys.size(); i++) {
      plain.put(keys.get(i), values.get(i));
    }
    return plain;
  }
}
