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

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import dev.lakestream.flink.source.SliceProjection;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

class ArrowSliceTest {

  private static final String WHAT = "The slice";

  @Property(tries = 150)
  void everyValueOfEveryTypeComesBackBitByBit(@ForAll long seed) throws IOException {
    RandomRows random = new RandomRows(seed);
    RowType table = random.table(1 + new Random(seed).nextInt(6));
    List<RowData> rows = random.rows(table, 1 + new Random(seed).nextInt(20));
    ByteBuffer slice = write(table, rows);
    assertThat(plain(table, read(table, slice, rows.size()))).isEqualTo(plain(table, rows));
    readWithArrow(slice, rows.size());
  }

  @Property(tries = 300)
  void damageIsToldAndNothingElseHappens(@ForAll long seed) {
    RandomRows rows = new RandomRows(seed);
    RowType table = rows.table(3);
    ByteBuffer slice = write(table, rows.rows(table, 5));
    Random random = new Random(seed);
    byte[] damaged = Arrays.copyOf(slice.array(), slice.limit());
    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    ByteBuffer bytes = ByteBuffer.wrap(damaged, 0, damaged.length - random.nextInt(2) * 13);
    try {
      read(table, bytes, 5);
    } catch (CorruptObjectException | ColumnMismatchException e) {
      assertThat(e).hasMessageContaining(WHAT);
    }
  }

  /** Field fault B30: nulls inside nested types, and decimals. */
  @Test
  void nullAndEmptyAreNotTheSame() {
    RowType table =
        table(
            DataTypes.ARRAY(DataTypes.INT()),
            DataTypes.BYTES(),
            DataTypes.STRING(),
            DataTypes.ROW(DataTypes.INT(), DataTypes.STRING()),
            DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.INT()),
            DataTypes.DECIMAL(38, 18));
    List<RowData> rows =
        List.of(
            GenericRowData.of(null, null, null, null, null, null),
            GenericRowData.of(
                new GenericArrayData(new Object[0]),
                new byte[0],
                StringData.fromString(""),
                GenericRowData.of(null, null),
                new org.apache.flink.table.data.GenericMapData(java.util.Map.of()),
                decimal("99999999999999999999.999999999999999999")),
            GenericRowData.of(
                new GenericArrayData(new Object[] {null, 1, null}),
                new byte[] {0},
                null,
                null,
                null,
                decimal("-99999999999999999999.999999999999999999")));
    assertThat(plain(table, read(table, write(table, rows), rows.size())))
        .isEqualTo(plain(table, rows));
  }

  @Test
  void columnsAreReadByNameInAnyOrderAndFromInsideRows() {
    RowType written =
        RowType.of(
            new LogicalType[] {
              DataTypes.BIGINT().getLogicalType(),
              DataTypes.ROW(
                      DataTypes.FIELD("x", DataTypes.INT()),
                      DataTypes.FIELD("y", DataTypes.ROW(DataTypes.FIELD("z", DataTypes.STRING()))))
                  .getLogicalType(),
              DataTypes.BYTES().getLogicalType()
            },
            new String[] {"id", "nested", "payload"});
    List<RowData> rows =
        List.of(
            GenericRowData.of(
                1L,
                GenericRowData.of(5, GenericRowData.of(StringData.fromString("deep"))),
                new byte[9]),
            GenericRowData.of(2L, GenericRowData.of(6, null), null),
            GenericRowData.of(3L, null, null));
    ByteBuffer slice = write(written, rows);
    RowType declared =
        RowType.of(
            new LogicalType[] {written.getTypeAt(1), written.getTypeAt(0)},
            new String[] {"nested", "id"});
    List<GenericRowData> read =
        new ArrowSliceReader(declared, new int[][] {{0, 1, 0}, {1}, {0, 0}})
            .read(slice, 3, 4, WHAT);
    assertThat(read)
        .containsExactly(
            GenericRowData.of(StringData.fromString("deep"), 1L, 5, null),
            GenericRowData.of(null, 2L, 6, null),
            GenericRowData.of(null, 3L, null, null));
  }

  @Test
  void anotherTypeAndAMissingColumnAreToldWithBothSides() {
    RowType written = table(DataTypes.INT());
    ByteBuffer slice = write(written, List.of(GenericRowData.of(1)));
    assertThatThrownBy(() -> read(table(DataTypes.BIGINT()), slice, 1))
        .isInstanceOf(ColumnMismatchException.class)
        .hasMessageContaining("Int(32, true)")
        .hasMessageContaining("BIGINT");
    RowType other = RowType.of(new LogicalType[] {written.getTypeAt(0)}, new String[] {"other"});
    assertThatThrownBy(() -> read(other, slice, 1))
        .isInstanceOf(ColumnMismatchException.class)
        .hasMessageContaining("no column 'other'")
        .hasMessageContaining("[f0]");
  }

  /** Field fault B30: a decimal of another precision is not misread, nor a row of other fields. */
  @Test
  void aTypeThatDiffersInsideIsNeverReadAsAnother() {
    neverReadAs(DataTypes.DECIMAL(38, 18), DataTypes.DECIMAL(38, 17));
    neverReadAs(DataTypes.DECIMAL(38, 18), DataTypes.DECIMAL(10, 2));
    neverReadAs(DataTypes.ARRAY(DataTypes.DECIMAL(9, 2)), DataTypes.ARRAY(DataTypes.DECIMAL(9, 3)));
    neverReadAs(DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP(6));
    neverReadAs(DataTypes.TIMESTAMP(3), DataTypes.TIMESTAMP_LTZ(3));
    neverReadAs(row("a", "b"), row("b", "a"));
    neverReadAs(row("key", "value"), row("value", "key"));
    neverReadAs(
        DataTypes.MAP(DataTypes.INT().notNull(), row("key", "value")),
        DataTypes.MAP(DataTypes.INT().notNull(), row("value", "key")));
  }

  private static DataType row(String first, String second) {
    return DataTypes.ROW(
        DataTypes.FIELD(first, DataTypes.STRING()), DataTypes.FIELD(second, DataTypes.STRING()));
  }

  private static void neverReadAs(DataType written, DataType declared) {
    ByteBuffer slice = write(table(written), List.of(GenericRowData.of((Object) null)));
    assertThat(read(table(written), slice, 1)).containsExactly(GenericRowData.of((Object) null));
    assertThatThrownBy(() -> read(table(declared), slice, 1))
        .as("%s as %s", written, declared)
        .isInstanceOf(ColumnMismatchException.class);
  }

  /**
   * Field fault B41: a batch that another writer cut out of a longer one, from row 3 on, with
   * offsets that do not begin at 0 and bits that do not begin at a byte.
   */
  @Test
  void aBatchThatAnotherWriterCutOutIsReadAsItsRows() throws IOException {
    RowType table =
        table(
            DataTypes.BOOLEAN(),
            DataTypes.STRING(),
            DataTypes.ARRAY(DataTypes.STRING()),
            DataTypes.ROW(DataTypes.INT(), DataTypes.BYTES()),
            DataTypes.INT());
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < 21; i++) {
      Object[] list =
          i % 5 == 0 ? new Object[0] : new Object[] {StringData.fromString("l" + i), null};
      rows.add(
          GenericRowData.of(
              i % 4 == 3 ? null : i % 3 == 0,
              i % 3 == 1 ? null : StringData.fromString("s".repeat(i % 4) + i),
              i % 7 == 6 ? null : new GenericArrayData(list),
              i % 6 == 5 ? null : GenericRowData.of(i, i % 2 == 0 ? null : new byte[i]),
              null));
    }
    ByteBuffer whole = new ArrowSliceWriter(table, false).write(rows);
    for (int[] cut : new int[][] {{3, 13}, {0, 21}, {20, 1}, {5, 0}}) {
      try (BufferAllocator allocator = new RootAllocator();
          ArrowStreamReader reader = arrow(whole, allocator)) {
        assertThat(reader.loadNextBatch()).isTrue();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (VectorSchemaRoot part = reader.getVectorSchemaRoot().slice(cut[0], cut[1]);
            ArrowStreamWriter writer = new ArrowStreamWriter(part, null, bytes)) {
          writer.writeBatch();
        }
        ByteBuffer slice = ByteBuffer.wrap(bytes.toByteArray());
        assertThat(plain(table, read(table, slice, cut[1])))
            .isEqualTo(plain(table, rows.subList(cut[0], cut[0] + cut[1])));
      }
    }
  }

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

  /** Field fault B41: an offset that others insist on. */
  @Test
  void listsHaveTheirFirstOffsetEvenWhereEverythingIsEmpty() throws IOException {
    RowType table = table(DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.STRING())));
    ByteBuffer slice =
        write(table, List.of(GenericRowData.of(new GenericArrayData(new Object[0]))));
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader = arrow(slice, allocator)) {
      assertThat(reader.loadNextBatch()).isTrue();
      ListVector lists = (ListVector) reader.getVectorSchemaRoot().getVector(0);
      assertThat(lists.getObject(0)).isEqualTo(List.of());
    }
    ArrowMessages.Batch batch = ArrowMessages.parse(slice, WHAT).batches().get(0);
    // validity and offsets of the outer list, of the inner one, and of its strings
    assertThat(batch.batch().buffers(1).length()).isGreaterThanOrEqualTo(8);
    assertThat(batch.batch().buffers(3).length()).isGreaterThanOrEqualTo(4);
    assertThat(batch.batch().buffers(5).length()).isGreaterThanOrEqualTo(4);
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

  /** 64 rows: a number, 8 kB of their own, a repeated caption, a list. */
  private static List<RowData> wideRows() {
    List<RowData> rows = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      byte[] bytes = new byte[8192];
      new Random(i).nextBytes(bytes);
      rows.add(
          GenericRowData.of(
              i % 9 == 0 ? null : i,
              bytes,
              StringData.fromString("the caption, number " + i % 3),
              new GenericArrayData(new Object[] {i, null})));
    }
    return rows;
  }

  private static RowType wideTable() {
    return table(
        DataTypes.INT(), DataTypes.BYTES(), DataTypes.STRING(), DataTypes.ARRAY(DataTypes.INT()));
  }

  @Test
  void columnsAreReadByTheIndexBehindTheStreamThatReadersOfArrowDoNotSee() throws IOException {
    RowType table = wideTable();
    ByteBuffer slice = write(table, wideRows());
    readWithArrow(slice, 64);
    int length = (int) ArrowSliceReader.indexLength(slice.slice(slice.limit() - 100, 100));
    assertThat(length).isBetween(100, 4000);
    ByteBuffer index = slice.slice(slice.limit() - length, length);
    for (int columns = 1; columns < 16; columns++) {
      int[][] projection =
          BitSet.valueOf(new long[] {columns}).stream()
              .mapToObj(column -> new int[] {column})
              .toArray(int[][]::new);
      ArrowSliceReader reader = new ArrowSliceReader(table, projection);
      List<SliceProjection.Range> ranges = reader.wanted(index, WHAT);
      List<ByteBuffer> wanted = new ArrayList<>();
      for (SliceProjection.Range range : ranges) {
        ByteBuffer bytes = slice.slice((int) range.offset(), range.length());
        assertThat(Frame.crc32c(bytes)).isEqualTo(range.crc());
        wanted.add(bytes);
      }
      assertThat(reader.read(index, wanted, 64, projection.length, WHAT))
          .isEqualTo(reader.read(slice, 64, projection.length, WHAT));
      long bytes = wanted.stream().mapToLong(ByteBuffer::remaining).sum();
      assertThat(bytes).isLessThan((columns & 2) == 0 ? 4_000 : slice.remaining());
    }
  }

  @Test
  void aDamagedColumnIndexIsTold() {
    RowType table = wideTable();
    ByteBuffer slice = write(table, wideRows());
    int length = (int) ArrowSliceReader.indexLength(slice);
    ArrowSliceReader reader = new ArrowSliceReader(table, new int[][] {{0}});
    for (int at = 0; at < length - 4; at++) {
      byte[] index = new byte[length];
      slice.get(slice.limit() - length, index);
      index[at] ^= 1;
      if (at >= length - 12 && at < length - 8) {
        continue; // The length of the index: who has cut it out knows it.
      }
      assertThatThrownBy(() -> reader.wanted(ByteBuffer.wrap(index), WHAT))
          .isInstanceOfAny(CorruptObjectException.class, UnsupportedVersionException.class)
          .hasMessageContaining(WHAT);
    }
  }

  @Test
  void theColumnIndexIsWrittenAsDocumented() {
    ByteBuffer slice = write(table(DataTypes.INT()), List.of(GenericRowData.of(1)));
    ByteBuffer index = ColumnIndex.of(slice);
    byte[] chunksAndTrailer = new byte[4 + 24 + 16];
    index.get(index.limit() - chunksAndTrailer.length, chunksAndTrailer);
    assertThat(HexFormat.of().formatHex(chunksAndTrailer))
        .isEqualTo(
            "01000000"
                + "010000000000000028010000000000000c000000d5cb54c7"
                + "85e574be40010000010000004c4b4349");
  }

  @Test
  void shortSlicesHaveNoColumnIndex() {
    ByteBuffer slice = write(table(DataTypes.INT()), List.of(GenericRowData.of(1)));
    assertThat(ArrowSliceReader.indexLength(slice)).isZero();
  }

  @Test
  void anEmptySliceHasNoRows() {
    assertThat(read(table(DataTypes.INT()), ByteBuffer.allocate(0), 0)).isEmpty();
  }

  @Test
  void anotherNumberOfRowsThanTheBundleSaysIsDamage() {
    RowType table = table(DataTypes.INT());
    ByteBuffer slice = write(table, List.of(GenericRowData.of(1), GenericRowData.of(2)));
    assertThatThrownBy(() -> read(table, slice, 3))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("holds 2 rows; the bundle says 3");
  }

  @Test
  void aTypeThatArrowCannotHoldIsNamedWithItsColumn() {
    RowType table =
        RowType.of(
            new LogicalType[] {
              DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD("v", DataTypes.NULL())))
                  .getLogicalType()
            },
            new String[] {"list"});
    assertThatThrownBy(() -> new ArrowSliceWriter(table, true))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'list[].v'")
        .hasMessageContaining("NULL");
  }

  private static DecimalData decimal(String text) {
    return DecimalData.fromBigDecimal(new BigDecimal(text), 38, 18);
  }

  private static RowType table(DataType... types) {
    return RowType.of(
        Arrays.stream(types).map(DataType::getLogicalType).toArray(LogicalType[]::new));
  }

  private static ByteBuffer write(RowType table, List<? extends RowData> rows) {
    return new ArrowSliceWriter(table, true).write(rows);
  }

  private static List<GenericRowData> read(RowType table, ByteBuffer slice, int rows) {
    int[][] all = new int[table.getFieldCount()][];
    Arrays.setAll(all, i -> new int[] {i});
    return new ArrowSliceReader(table, all).read(slice, rows, table.getFieldCount(), WHAT);
  }

  private static List<Object> plain(RowType table, List<? extends RowData> rows) {
    List<Object> plain = new ArrayList<>();
    rows.forEach(row -> plain.add(RandomRows.plain(row, table)));
    return plain;
  }

  private static ArrowStreamReader arrow(ByteBuffer slice, BufferAllocator allocator) {
    return new ArrowStreamReader(
        new ByteArrayInputStream(slice.array(), slice.position(), slice.remaining()), allocator);
  }

  private static void readWithArrow(ByteBuffer slice, int rows) throws IOException {
    try (BufferAllocator allocator = new RootAllocator();
        ArrowStreamReader reader = arrow(slice, allocator)) {
      assertThat(reader.loadNextBatch()).isTrue();
      assertThat(reader.getVectorSchemaRoot().getRowCount()).isEqualTo(rows);
      for (FieldVector vector : reader.getVectorSchemaRoot().getFieldVectors()) {
        for (int i = 0; i < rows; i++) {
          assertThat(vector.getObject(i) == null).isEqualTo(vector.isNull(i));
        }
      }
      assertThat(reader.loadNextBatch()).isFalse();
    }
  }
}
