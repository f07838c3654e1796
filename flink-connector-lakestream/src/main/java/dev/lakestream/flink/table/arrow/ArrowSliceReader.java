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

import dev.lakestream.LakestreamException;
import dev.lakestream.flink.source.SliceProjection;
import dev.lakestream.format.CorruptObjectException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * Reads rows of slices in the format arrow: those columns that are asked for, by name; of the
 * others not a byte is copied or decoded. Off-heap memory is held during a call only. Not
 * thread-safe.
 */
public final class ArrowSliceReader {

  private final List<ProjectedColumn> columns;

  /**
   * @param table all columns that the table declares
   * @param projection which of them are read, each a path of positions: a column, or a field inside
   *     rows
   */
  public ArrowSliceReader(RowType table, int[][] projection) {
    columns = new ArrayList<>();
    for (int[] path : projection) {
      columns.add(ProjectedColumn.of(table, path));
    }
  }

  /**
   * The rows of a slice, in order.
   *
   * @param slice not moved; empty: no rows
   * @param count how many there are, as the bundle says
   * @param arity of the rows; the fields behind the projected columns are null
   * @param what names the slice in errors
   * @throws CorruptObjectException if the bytes are no Arrow stream of so many rows
   * @throws ColumnMismatchException if a column is missing, or of another type than the table
   *     declares
   */
  public List<GenericRowData> read(ByteBuffer slice, int count, int arity, String what) {
    return !slice.hasRemaining() && count == 0
        ? List.of()
        : read(() -> ArrowMessages.parse(slice, what), count, arity, what);
  }

  /** How many bytes at the end of a slice say where its columns lie; 0: it does not say. */
  public static long indexLength(ByteBuffer end) {
    return ColumnIndex.length(end);
  }

  /**
   * Which bytes of a slice {@link #read(ByteBuffer, List, int, int, String)} takes. May be called
   * by several threads.
   *
   * @param index its last {@link #indexLength} bytes
   */
  public List<SliceProjection.Range> wanted(ByteBuffer index, String what) {
    ColumnIndex decoded = ColumnIndex.decode(index, what);
    return ColumnIndex.ranges(chunks(decoded, what));
  }

  private List<ColumnIndex.Chunk> chunks(ColumnIndex index, String what) {
    List<Field> fields = index.schema().getFields();
    return index.of(columns.stream().map(column -> column.find(fields, what)).distinct().toList());
  }

  /**
   * As above, of the bytes that are {@link #wanted}.
   *
   * @param wanted the bytes of each range
   */
  public List<GenericRowData> read(
      ByteBuffer index, List<ByteBuffer> wanted, int count, int arity, String what) {
    return read(
        () -> {
          ColumnIndex decoded = ColumnIndex.decode(index, what);
          return decoded.messages(chunks(decoded, what), wanted, what);
        },
        count,
        arity,
        what);
  }

  private List<GenericRowData> read(
      Supplier<ArrowMessages> parsed, int count, int arity, String what) {
    try (BufferAllocator allocator = Memory.allocator()) {
      ArrowMessages messages = parsed.get();
      if (messages.rows() != count) {
        throw new CorruptObjectException(
            what + " holds " + messages.rows() + " rows; the bundle says " + count + ".");
      }
      return read(messages, arity, what, allocator);
    } catch (LakestreamException | OutOfMemoryException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError e) {
      // Arrow's own checks fail in many ways on bytes that no writer made; a schema that contains
      // itself overflows the stack.
      throw new CorruptObjectException(what + " is damaged inside: " + e, e);
    }
  }

  private List<GenericRowData> read(
      ArrowMessages messages, int arity, String what, BufferAllocator allocator) {
    List<Field> fields = messages.schema().getFields();
    List<Integer> found = columns.stream().map(column -> column.find(fields, what)).toList();
    List<Integer> positions = found.stream().distinct().sorted().toList();
    VectorSelection selection = new VectorSelection(fields, positions);
    Map<Long, Object[]> dictionaries = new HashMap<>();
    List<GenericRowData> rows = new ArrayList<>();
    for (ArrowMessages.Batch batch : messages.batches()) {
      try (VectorSchemaRoot root = selection.load(batch, allocator)) {
        int first = rows.size();
        for (int i = 0; i < root.getRowCount(); i++) {
          rows.add(new GenericRowData(arity));
        }
        for (int c = 0; c < columns.size(); c++) {
          ProjectedColumn column = columns.get(c);
          Field field = fields.get(found.get(c));
          FieldVector vector = root.getVector(positions.indexOf(found.get(c)));
          IntFunction<Object> values =
              field.getDictionary() == null
                  ? column.reader(vector)::read
                  : indexed(
                      vector,
                      dictionaries.computeIfAbsent(
                          field.getDictionary().getId(),
                          id -> dictionary(id, column, field, messages, what, allocator)));
          for (int i = 0; i < root.getRowCount(); i++) {
            rows.get(first + i).setField(c, values.apply(i));
          }
        }
      }
    }
    return rows;
  }

  private static IntFunction<Object> indexed(FieldVector indices, Object[] dictionary) {
    BaseIntVector ints = (BaseIntVector) indices;
    return i -> indices.isNull(i) ? null : dictionary[Math.toIntExact(ints.getValueAsLong(i))];
  }

  /** Each value is made once; all rows that have it share it. */
  private static Object[] dictionary(
      long id,
      ProjectedColumn column,
      Field field,
      ArrowMessages messages,
      String what,
      BufferAllocator allocator) {
    ArrowMessages.Batch batch = messages.dictionaries().get(id);
    if (batch == null) {
      throw new CorruptObjectException(what + " lacks the dictionary of column " + field + ".");
    }
    Field values = new Field(field.getName(), ProjectedColumn.plain(field), field.getChildren());
    try (VectorSchemaRoot root =
        new VectorSelection(List.of(values), List.of(0)).load(batch, allocator)) {
      ColumnReader reader = column.reader(root.getVector(0));
      Object[] read = new Object[root.getRowCount()];
      for (int i = 0; i < read.length; i++) {
        read[i] = reader.read(i);
      }
      return read;
    }
  }
}
