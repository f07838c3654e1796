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

import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * A column of a table, or a field inside its rows, that is read.
 *
 * @param column as the table declares it
 * @param expected the column in Arrow's terms
 * @param path from the column to the field; empty: the column itself
 */
record ProjectedColumn(RowType.RowField column, Field expected, int[] path) {

  static ProjectedColumn of(RowType table, int[] path) {
    RowType.RowField column = table.getFields().get(path[0]);
    return new ProjectedColumn(
        column,
        ArrowTypes.field(column.getName(), column.getType(), column.getName()),
        Arrays.copyOfRange(path, 1, path.length));
  }

  /** Which field of a slice is the column. */
  int find(List<Field> fields, String what) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).getName().equals(column.getName())) {
        if (!same(fields.get(i), expected, false)) {
          throw new ColumnMismatchException(
              what
                  + " has column "
                  + fields.get(i)
                  + ", and the table declares '"
                  + column.getName()
                  + "' "
                  + column.getType().asSummaryString()
                  + ", which is "
                  + expected
                  + ". Declare the column as it was written.");
        }
        return i;
      }
    }
    throw new ColumnMismatchException(
        what
            + " has no column '"
            + column.getName()
            + "'; it has "
            + fields.stream().map(Field::getName).toList()
            + ". Declare what is there.");
  }

  /**
   * Whether one is read as the other; what is null is another matter.
   *
   * @param entries of a map: of these the place says what they are, and writers name them as they
   *     like
   */
  private static boolean same(Field actual, Field expected, boolean entries) {
    if (!same(actual.getType(), expected.getType())
        || actual.getChildren().size() != expected.getChildren().size()) {
      return false;
    }
    boolean named = expected.getType() instanceof ArrowType.Struct && !entries;
    boolean map = expected.getType() instanceof ArrowType.Map;
    for (int i = 0; i < expected.getChildren().size(); i++) {
      Field child = actual.getChildren().get(i);
      Field wanted = expected.getChildren().get(i);
      if (child.getDictionary() != null
          || (named && !child.getName().equals(wanted.getName()))
          || !same(child, wanted, map)) {
        return false;
      }
    }
    return true;
  }

  private static boolean same(ArrowType actual, ArrowType expected) {
    return actual.equals(expected)
        || (actual instanceof ArrowType.LargeUtf8 && expected instanceof ArrowType.Utf8)
        || (actual instanceof ArrowType.LargeBinary && expected instanceof ArrowType.Binary)
        || (actual instanceof ArrowType.Map && expected instanceof ArrowType.Map)
        || (actual instanceof ArrowType.Timestamp time
            && expected instanceof ArrowType.Timestamp wanted
            && time.getUnit() == wanted.getUnit()
            && (time.getTimezone() == null) == (wanted.getTimezone() == null));
  }

  /** Of the values in a dictionary. */
  static FieldType plain(Field field) {
    return FieldType.nullable(field.getType());
  }

  /**
   * @param vector of the column
   */
  ColumnReader reader(ValueVector vector) {
    return reader(vector, column.getType(), 0);
  }

  private ColumnReader reader(ValueVector vector, LogicalType type, int depth) {
    if (depth == path.length) {
      return ColumnReader.of(vector, type);
    }
    StructVector rows = (StructVector) vector;
    ColumnReader field =
        reader(
            rows.getChildrenFromFields().get(path[depth]),
            type.getChildren().get(path[depth]),
            depth + 1);
    return ColumnReader.inside(rows, field);
  }
}
