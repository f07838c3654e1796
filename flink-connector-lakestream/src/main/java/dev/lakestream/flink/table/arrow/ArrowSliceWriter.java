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

import dev.lakestream.batch.InvalidBatchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Writes the rows of a slice as one Arrow IPC stream with one record batch. Off-heap memory is held
 * during a call only. Not thread-safe.
 */
public final class ArrowSliceWriter {

  /** What one array holds. */
  private static final long MAX_BYTES = Integer.MAX_VALUE - 8;

  /** For the schema and what frames the buffers; more is taken when it does not suffice. */
  private static final int METADATA_BYTES = 16 << 10;

  /** Shorter slices are read whole, and have no index of their columns. */
  private static final int INDEXED_BYTES = 256 << 10;

  private final RowType columns;
  private final Schema schema;
  private final boolean dictionaries;
  private final RowData.FieldGetter[] getters;

  /**
   * @param columns the leading fields of the rows; further ones are not written
   * @param dictionaries whether values that repeat are written once where that is shorter
   * @throws ValidationException if Arrow cannot hold a type; names the column
   */
  public ArrowSliceWriter(RowType columns, boolean dictionaries) {
    this.columns = columns;
    this.schema = ArrowTypes.schema(columns);
    this.dictionaries = dictionaries;
    this.getters = new RowData.FieldGetter[columns.getFieldCount()];
    for (int i = 0; i < getters.length; i++) {
      getters[i] = RowData.createFieldGetter(columns.getTypeAt(i), i);
    }
  }

  /**
   * The rows, in their order.
   *
   * @throws InvalidBatchException if they do not fit into one slice
   */
  public ByteBuffer write(List<? extends RowData> rows) {
    try (BufferAllocator allocator = Memory.allocator();
        Content content = new Content(new ArrayList<>(), new MapDictionaryProvider())) {
      for (int column = 0; column < getters.length; column++) {
        add(content, column, values(rows, column), allocator);
      }
      return bytes(content, rows.size());
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory failed.", e);
    }
  }

  /** What a slice is made of. */
  private record Content(List<FieldVector> vectors, MapDictionaryProvider dictionaries)
      implements AutoCloseable {
    @Override
    public void close() {
      vectors.forEach(FieldVector::close);
      dictionaries.close();
    }
  }

  private Object[] values(List<? extends RowData> rows, int column) {
    Object[] values = new Object[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = getters[column].getFieldOrNull(rows.get(i));
    }
    return values;
  }

  private void add(Content content, int column, Object[] values, BufferAllocator allocator) {
    LogicalType type = columns.getTypeAt(column);
    Field field = schema.getFields().get(column);
    RepeatedValues repeated = dictionaries ? RepeatedValues.find(type, values) : null;
    if (repeated == null) {
      FieldVector vector = field.createVector(allocator);
      content.vectors.add(vector);
      fill(vector, type, values);
    } else {
      content.vectors.add(repeated.write(column, field, type, allocator, content.dictionaries));
    }
  }

  static void fill(FieldVector vector, LogicalType type, Object[] values) {
    ColumnWriter writer = ColumnWriter.of(vector, type);
    vector.allocateNew();
    for (int i = 0; i < values.length; i++) {
      writer.write(i, values[i]);
    }
    vector.setValueCount(values.length);
  }

  private static ByteBuffer bytes(Content content, int rows) throws IOException {
    List<Field> fields = content.vectors.stream().map(FieldVector::getField).toList();
    Output out = new Output(estimate(content));
    // The vectors are closed with the content.
    @SuppressWarnings("resource")
    VectorSchemaRoot root = new VectorSchemaRoot(fields, content.vectors, rows);
    try (ArrowStreamWriter writer = new ArrowStreamWriter(root, content.dictionaries, out)) {
      writer.start();
      writer.writeBatch();
      writer.end();
    }
    if (out.bytes.position() >= INDEXED_BYTES) {
      out.write(ColumnIndex.of(out.bytes.duplicate().flip()));
    }
    return out.bytes.flip();
  }

  private static int estimate(Content content) {
    List<FieldVector> all = new ArrayList<>(content.vectors);
    for (long id : content.dictionaries.getDictionaryIds()) {
      all.add(content.dictionaries.lookup(id).getVector());
    }
    long length = METADATA_BYTES;
    for (FieldVector vector : all) {
      for (ArrowBuf buffer : vector.getBuffers(false)) {
        length += buffer.readableBytes() + Long.BYTES;
      }
    }
    return checked(length);
  }

  private static int checked(long length) {
    if (length > MAX_BYTES) {
      throw new InvalidBatchException(
          "A slice of rows would take "
              + length
              + " bytes; "
              + MAX_BYTES
              + " is the most. Put fewer rows into a slice.");
    }
    return (int) length;
  }

  /** Collects what is written in one array. */
  private static final class Output implements WritableByteChannel {
    private ByteBuffer bytes;

    Output(int capacity) {
      bytes = ByteBuffer.allocate(capacity);
    }

    @Override
    public int write(ByteBuffer source) {
      int length = source.remaining();
      if (length > bytes.remaining()) {
        long needed = (long) bytes.position() + length + METADATA_BYTES;
        bytes = ByteBuffer.allocate(checked(needed)).put(bytes.flip());
      }
      bytes.put(source);
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
