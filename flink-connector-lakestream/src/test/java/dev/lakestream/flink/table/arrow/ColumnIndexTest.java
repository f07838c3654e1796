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

import static dev.lakestream.flink.table.arrow.ArrowSlices.WHAT;
import static dev.lakestream.flink.table.arrow.ArrowSlices.readWithArrow;
import static dev.lakestream.flink.table.arrow.ArrowSlices.table;
import static dev.lakestream.flink.table.arrow.ArrowSlices.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.flink.source.SliceProjection;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/** The index behind a slice, by which some of its columns are read without the others. */
class ColumnIndexTest {

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
}
