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

import static dev.lakestream.flink.table.arrow.ArrowSlices.arrow;
import static dev.lakestream.flink.table.arrow.ArrowSlices.plain;
import static dev.lakestream.flink.table.arrow.ArrowSlices.read;
import static dev.lakestream.flink.table.arrow.ArrowSlices.table;
import static dev.lakestream.flink.table.arrow.ArrowSlices.write;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** Values that repeat are in a slice once. */
class ArrowDictionaryTest {

  @Test
  void aMediumThatRepeatsIsWrittenOnceAndReadAsOneObject() throws IOException {
    byte[] medium = new byte[100_000];
    new Random(1).nextBytes(medium);
    RowType table = table(DataTypes.BYTES(), DataTypes.STRING());
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      byte[] own = i % 10 == 9 ? null : medium.clone();
      rows.add(GenericRowData.of(own, StringData.fromString("text " + i)));
    }
    ByteBuffer slice = write(table, rows);
    assertThat(slice.remaining()).isLessThan(110_000);
    assertThat(new ArrowSliceWriter(table, false).write(rows).remaining()).isGreaterThan(4_500_000);
    List<GenericRowData> read = read(table, slice, rows.size());
    assertThat(plain(table, read)).isEqualTo(plain(table, rows));
    assertThat(read.get(0).getBinary(0)).isSameAs(read.get(1).getBinary(0));
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader = arrow(slice, allocator)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      assertThat(reader.loadNextBatch()).isTrue();
      long id = root.getVector(0).getField().getDictionary().getId();
      try (FieldVector decoded =
          (FieldVector) DictionaryEncoder.decode(root.getVector(0), reader.lookup(id))) {
        assertThat(((VarBinaryVector) decoded).get(3)).isEqualTo(medium);
        assertThat(decoded.isNull(9)).isTrue();
      }
    }
  }

  @Test
  void aRowThatIsTakenOutLeavesNoValueBehindInADictionary() {
    RowType table = table(DataTypes.STRING(), DataTypes.INT());
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String caption = i % 2 == 0 ? "a caption that everyone may read" : "the caption to take down";
      rows.add(GenericRowData.of(StringData.fromString(caption), i));
    }
    ByteBuffer written = write(table, rows);
    assertThat(ISO_8859_1.decode(written.duplicate()).toString()).contains("take down");
    TreeSet<Integer> odd = new TreeSet<>();
    for (int i = 1; i < 40; i += 2) {
      odd.add(i);
    }
    SliceEditor.Edit edit =
        new ArrowSliceEditor(table)
            .without(new Removal.Records(1, 0, odd), 1, List.of(new Slice(written, 40)), "A slice");
    assertThat(edit.removed()).isEqualTo(20);
    Slice kept = edit.slices().get(0);
    assertThat(ISO_8859_1.decode(kept.bytes().duplicate()).toString()).doesNotContain("take down");
    assertThat(read(table, kept.bytes(), 20)).extracting(row -> row.getInt(1)).startsWith(0, 2, 4);
  }
}
