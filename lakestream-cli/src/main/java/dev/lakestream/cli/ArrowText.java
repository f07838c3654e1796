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
package dev.lakestream.cli;

import dev.lakestream.batch.Slice;
import dev.lakestream.format.CorruptObjectException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** The rows of a slice in the format arrow, one a line, by the schema that the slice has itself. */
final class ArrowText {

  /** Of every message; what follows is a length, and one that is none would be believed. */
  private static final int BEGIN = 0xFFFFFFFF;

  /** Of a binary value; the format raw gives all. */
  private static final int BYTES_SHOWN = 32;

  private ArrowText() {}

  /** {@code what} names the slice. */
  static void print(Slice slice, String what, PrintWriter text) {
    text.println(what + ": " + Text.count(slice.records(), "record") + ".");
    byte[] bytes = new byte[slice.bytes().remaining()];
    slice.bytes().duplicate().get(bytes);
    if (bytes.length == 0) {
      return;
    }
    if (bytes.length < Integer.BYTES || ByteBuffer.wrap(bytes).getInt() != BEGIN) {
      throw new CorruptObjectException(what + " is not an Arrow stream.");
    }
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader =
            new ArrowStreamReader(new ByteArrayInputStream(bytes), allocator)) {
      long row = 0;
      while (reader.loadNextBatch() && !text.checkError()) {
        row = batch(reader, allocator, row, text);
      }
    } catch (IOException | RuntimeException e) {
      // Arrow's own checks fail in many ways on bytes that are none of its.
      throw new CorruptObjectException(
          what + " is not an Arrow stream that can be read here: " + e, e);
    }
  }

  private static long batch(
      ArrowStreamReader reader, BufferAllocator allocator, long first, PrintWriter text)
      throws IOException {
    List<FieldVector> decoded = new ArrayList<>();
    try {
      List<FieldVector> columns = new ArrayList<>();
      for (FieldVector vector : reader.getVectorSchemaRoot().getFieldVectors()) {
        columns.add(values(vector, reader.getDictionaryVectors(), allocator, decoded));
      }
      List<String> names =
          reader.getVectorSchemaRoot().getSchema().getFields().stream()
              .map(field -> Text.printable(field.getName()))
              .toList();
      int rows = reader.getVectorSchemaRoot().getRowCount();
      for (int i = 0; i < rows && !text.checkError(); i++) {
        StringBuilder line = new StringBuilder(Long.toString(first + i));
        for (int c = 0; c < columns.size(); c++) {
          line.append("  ").append(names.get(c)).append('=').append(shown(columns.get(c), i));
        }
        text.println(line);
      }
      return first + rows;
    } finally {
      decoded.forEach(FieldVector::close);
    }
  }

  /** Of a dictionary column, what its indices stand for. */
  private static FieldVector values(
      FieldVector vector,
      Map<Long, Dictionary> dictionaries,
      BufferAllocator allocator,
      List<FieldVector> decoded) {
    if (vector.getField().getDictionary() == null) {
      return vector;
    }
    Dictionary dictionary = dictionaries.get(vector.getField().getDictionary().getId());
    FieldVector plain = (FieldVector) DictionaryEncoder.decode(vector, dictionary, allocator);
    decoded.add(plain);
    return plain;
  }

  private static String shown(FieldVector column, int row) {
    return shown(column.getObject(row));
  }

  private static String shown(Object value) {
    if (value instanceof byte[] bytes) {
      String digits =
          "0x" + HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, BYTES_SHOWN));
      return bytes.length <= BYTES_SHOWN ? digits : digits + "… (" + Text.size(bytes.length) + ")";
    }
    if (value instanceof List<?> list) {
      return list.stream().map(ArrowText::shown).collect(Collectors.joining(", ", "[", "]"));
    }
    if (value instanceof Map<?, ?> row) {
      return row.entrySet().stream()
          .map(field -> Text.printable(field.getKey().toString()) + "=" + shown(field.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof org.apache.arrow.vector.util.Text string) {
      return '"' + Text.printable(string.toString()) + '"';
    }
    return String.valueOf(value);
  }
}
