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

import dev.lakestream.assembly.InvalidSampleException;
import dev.lakestream.flink.table.arrow.Timestamps;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.MultisetType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/**
 * What values must be, beyond what their Java types say. A value that breaks its declared type is
 * refused when it is written, with the path of the field, so that no batch holds a row that cannot
 * be read again. Flink's planner does this for columns only, and for lengths only if it is told to.
 */
final class RowChecks {

  /** Of one value. */
  private interface Check {
    /**
     * @param value null: SQL's NULL
     * @return null: it may be written
     */
    Defect find(Object value);
  }

  /**
   * Why a value must not be written.
   *
   * @param path from the value to the part of it that is wrong
   */
  private record Defect(String path, String how) {

    Defect in(String outer) {
      return new Defect(outer + path, how);
    }
  }

  private final Check check;

  /**
   * @param columns the leading fields of the rows
   */
  RowChecks(RowType columns) {
    this.check = fields(columns, "").orElse(value -> null);
  }

  /**
   * @throws InvalidSampleException if the row must not be written
   */
  void check(RowData row) {
    Defect defect = check.find(row);
    if (defect != null) {
      throw new InvalidSampleException(
          "Field '" + defect.path() + "' of a row " + defect.how() + ". The row was not written.");
    }
  }

  /** Empty: any value will do. */
  private static Optional<Check> of(LogicalType type) {
    Optional<Check> content = content(type);
    if (type.isNullable()) {
      return content.map(check -> value -> value == null ? null : check.find(value));
    }
    Check check = content.orElse(value -> null);
    return Optional.of(
        value ->
            value == null ? new Defect("", "is null and is declared NOT NULL") : check.find(value));
  }

  private static Optional<Check> content(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> characters(type);
      case BINARY -> {
        int length = LogicalTypeChecks.getLength(type);
        yield Optional.of(value -> bytes((byte[]) value, length, length, type));
      }
      case VARBINARY -> {
        int most = LogicalTypeChecks.getLength(type);
        yield most == VarBinaryType.MAX_LENGTH
            ? Optional.empty()
            : Optional.of(value -> bytes((byte[]) value, 0, most, type));
      }
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          LogicalTypeChecks.getPrecision(type) <= 6
              ? Optional.empty()
              : Optional.of(value -> timestamp((TimestampData) value, type));
      case ARRAY -> elements(((ArrayType) type).getElementType());
      case MAP -> entries(((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case MULTISET -> entries(((MultisetType) type).getElementType(), new IntType(false));
      case ROW, STRUCTURED_TYPE -> fields(type, ".");
      case DISTINCT_TYPE -> content(((DistinctType) type).getSourceType());
      default -> Optional.empty();
    };
  }

  private static Optional<Check> characters(LogicalType type) {
    int most = LogicalTypeChecks.getLength(type);
    if (most == VarCharType.MAX_LENGTH) {
      return Optional.empty();
    }
    return Optional.of(
        value -> {
          String text = value.toString();
          int length = text.codePointCount(0, text.length());
          return length <= most
              ? null
              : new Defect(
                  "", "has " + length + " characters and is declared " + type.asSummaryString());
        });
  }

  private static Defect bytes(byte[] value, int least, int most, LogicalType type) {
    return value.length >= least && value.length <= most
        ? null
        : new Defect(
            "", "has " + value.length + " bytes and is declared " + type.asSummaryString());
  }

  private static Defect timestamp(TimestampData value, LogicalType type) {
    return Timestamps.fits(value, type)
        ? null
        : new Defect(
            "",
            "is "
                + value
                + "; nanoseconds reach from 1677-09-22 to 2262-04-11, so times outside need a"
                + " precision of 6 or less");
  }

  private static Optional<Check> elements(LogicalType type) {
    ArrayData.ElementGetter getter = ArrayData.createElementGetter(type.copy(true));
    return of(type)
        .map(
            check ->
                value -> {
                  ArrayData array = (ArrayData) value;
                  for (int i = 0; i < array.size(); i++) {
                    Defect defect = check.find(getter.getElementOrNull(array, i));
                    if (defect != null) {
                      return defect.in("[" + i + "]");
                    }
                  }
                  return null;
                });
  }

  /** A key is never null, whatever its type says: hardly any format could write it. */
  private static Optional<Check> entries(LogicalType keyType, LogicalType valueType) {
    Check keys = elements(keyType.copy(false)).orElseThrow();
    Check values = elements(valueType).orElse(value -> null);
    return Optional.of(
        value -> {
          MapData map = (MapData) value;
          Defect defect = keys.find(map.keyArray());
          if (defect != null) {
            return defect.in(".key");
          }
          defect = values.find(map.valueArray());
          return defect == null ? null : defect.in(".value");
        });
  }

  /**
   * @param separator before the names of the fields
   */
  private static Optional<Check> fields(LogicalType type, String separator) {
    List<String> names = LogicalTypeChecks.getFieldNames(type);
    List<LogicalType> types = LogicalTypeChecks.getFieldTypes(type);
    Check[] checks = types.stream().map(field -> of(field).orElse(null)).toArray(Check[]::new);
    if (Arrays.stream(checks).allMatch(Objects::isNull)) {
      return Optional.empty();
    }
    RowData.FieldGetter[] getters = new RowData.FieldGetter[checks.length];
    for (int i = 0; i < checks.length; i++) {
      getters[i] = RowData.createFieldGetter(types.get(i).copy(true), i);
    }
    return Optional.of(
        value -> {
          for (int i = 0; i < checks.length; i++) {
            Defect defect =
                checks[i] == null
                    ? null
                    : checks[i].find(getters[i].getFieldOrNull((RowData) value));
            if (defect != null) {
              return defect.in(separator + names.get(i));
            }
          }
          return null;
        });
  }
}
