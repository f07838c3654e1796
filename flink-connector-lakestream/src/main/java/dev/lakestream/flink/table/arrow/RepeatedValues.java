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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;

/** A column of strings or bytes as a dictionary of what is in it and an index for each row. */
final class RepeatedValues {

  private static final ArrowType.Int INDEX = new ArrowType.Int(32, true);
  private static final LogicalType INDEX_TYPE = new IntType();

  private final List<Object> distinct;
  private final Object[] indices;

  private RepeatedValues(List<Object> distinct, Object[] indices) {
    this.distinct = distinct;
    this.indices = indices;
  }

  /** Null if the column is of another type, or if a dictionary would not save a quarter of it. */
  static RepeatedValues find(LogicalType type, Object[] values) {
    boolean variable =
        switch (type.getTypeRoot()) {
          case CHAR, VARCHAR, VARBINARY -> true;
          default -> false;
        };
    if (!variable || values.length < 2) {
      return null;
    }
    Map<Bytes, Integer> known = new HashMap<>();
    List<Object> distinct = new ArrayList<>();
    Object[] indices = new Object[values.length];
    long plain = 0;
    long dictionary = 0;
    for (int i = 0; i < values.length; i++) {
      plain += Integer.BYTES;
      dictionary += Integer.BYTES;
      if (values[i] != null) {
        byte[] bytes = values[i] instanceof StringData text ? text.toBytes() : (byte[]) values[i];
        plain += bytes.length;
        Integer index = known.putIfAbsent(new Bytes(bytes), distinct.size());
        indices[i] = index == null ? distinct.size() : index;
        if (index == null) {
          distinct.add(values[i]);
          dictionary += Integer.BYTES + bytes.length;
        }
      }
    }
    return dictionary <= plain / 4 * 3 ? new RepeatedValues(distinct, indices) : null;
  }

  /** The indices; the dictionary goes into {@code dictionaries}, under its own id. */
  FieldVector write(
      long id,
      Field field,
      LogicalType type,
      BufferAllocator allocator,
      MapDictionaryProvider dictionaries) {
    DictionaryEncoding encoding = new DictionaryEncoding(id, false, INDEX);
    FieldVector values =
        new Field(field.getName(), FieldType.nullable(field.getType()), List.of())
            .createVector(allocator);
    dictionaries.put(new Dictionary(values, encoding));
    ArrowSliceWriter.fill(values, type, distinct.toArray());
    FieldVector vector =
        new IntVector(
            field.getName(), new FieldType(field.isNullable(), INDEX, encoding), allocator);
    try {
      ArrowSliceWriter.fill(vector, INDEX_TYPE, indices);
      return vector;
    } catch (RuntimeException e) {
      vector.close();
      throw e;
    }
  }

  /** Equal by content. */
  private record Bytes(byte[] value) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes bytes && Arrays.equals(value, bytes.value);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(value);
    }
  }
}
