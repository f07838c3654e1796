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
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** Which Arrow type each of Flink's logical types is. docs/sql.md has the table. */
public final class ArrowTypes {

  private static final int DECIMAL_BITS = 128;

  private ArrowTypes() {}

  /**
   * The schema of a slice with these columns.
   *
   * @throws ValidationException if Arrow cannot hold a type; names the column
   */
  public static Schema schema(RowType columns) {
    List<Field> fields = new ArrayList<>();
    for (RowType.RowField column : columns.getFields()) {
      fields.add(field(column.getName(), column.getType(), column.getName()));
    }
    return new Schema(fields);
  }

  /**
   * @param path names it in errors
   */
  static Field field(String name, LogicalType type, String path) {
    return new Field(
        name, new FieldType(type.isNullable(), arrowType(type, path), null), children(type, path));
  }

  static ArrowType arrowType(LogicalType type, String path) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> ArrowType.Utf8.INSTANCE;
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case BINARY -> new ArrowType.FixedSizeBinary(((BinaryType) type).getLength());
      case VARBINARY -> ArrowType.Binary.INSTANCE;
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield new ArrowType.Decimal(decimal.getPrecision(), decimal.getScale(), DECIMAL_BITS);
      }
      case TINYINT -> new ArrowType.Int(8, true);
      case SMALLINT -> new ArrowType.Int(16, true);
      case INTEGER -> new ArrowType.Int(32, true);
      case BIGINT -> new ArrowType.Int(64, true);
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME_WITHOUT_TIME_ZONE -> new ArrowType.Time(TimeUnit.MILLISECOND, 32);
      case TIMESTAMP_WITHOUT_TIME_ZONE -> new ArrowType.Timestamp(timestampUnit(type), null);
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> new ArrowType.Timestamp(timestampUnit(type), "UTC");
      case INTERVAL_YEAR_MONTH -> new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
      case INTERVAL_DAY_TIME -> new ArrowType.Duration(TimeUnit.MILLISECOND);
      case ARRAY -> ArrowType.List.INSTANCE;
      case MAP, MULTISET -> new ArrowType.Map(false);
      case ROW, STRUCTURED_TYPE -> ArrowType.Struct.INSTANCE;
      case DISTINCT_TYPE -> arrowType(((DistinctType) type).getSourceType(), path);
      case TIMESTAMP_WITH_TIME_ZONE, NULL, RAW, SYMBOL, UNRESOLVED, DESCRIPTOR, VARIANT, BITMAP ->
          throw unsupported(type, path);
    };
  }

  /** The coarsest unit that holds every value of the type's precision. */
  static TimeUnit timestampUnit(LogicalType type) {
    int precision = LogicalTypeChecks.getPrecision(type);
    if (precision == 0) {
      return TimeUnit.SECOND;
    }
    if (precision <= 3) {
      return TimeUnit.MILLISECOND;
    }
    return precision <= 6 ? TimeUnit.MICROSECOND : TimeUnit.NANOSECOND;
  }

  private static List<Field> children(LogicalType type, String path) {
    return switch (type.getTypeRoot()) {
      case ARRAY -> List.of(field("item", ((ArrayType) type).getElementType(), path + "[]"));
      case MAP -> entries(((MapType) type).getKeyType(), ((MapType) type).getValueType(), path);
      case MULTISET -> entries(((MultisetType) type).getElementType(), new IntType(false), path);
      case ROW, STRUCTURED_TYPE -> {
        List<String> names = LogicalTypeChecks.getFieldNames(type);
        List<LogicalType> types = LogicalTypeChecks.getFieldTypes(type);
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
          fields.add(field(names.get(i), types.get(i), path + "." + names.get(i)));
        }
        yield fields;
      }
      case DISTINCT_TYPE -> children(((DistinctType) type).getSourceType(), path);
      default -> List.of();
    };
  }

  /** In Arrow the key of an entry is never null. */
  private static List<Field> entries(LogicalType key, LogicalType value, String path) {
    List<Field> entry =
        List.of(
            field(MapVector.KEY_NAME, key.copy(false), path + ".key"),
            field(MapVector.VALUE_NAME, value, path + ".value"));
    return List.of(
        new Field(
            MapVector.DATA_VECTOR_NAME,
            new FieldType(false, ArrowType.Struct.INSTANCE, null),
            entry));
  }

  private static ValidationException unsupported(LogicalType type, String path) {
    return new ValidationException(
        "Column '"
            + path
            + "' is of type "
            + type.asSummaryString()
            + ", which the format 'arrow' cannot hold. Cast it, for instance to BYTES or STRING, or"
            + " leave it out.");
  }
}
