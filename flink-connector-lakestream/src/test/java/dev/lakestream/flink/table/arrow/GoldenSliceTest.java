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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;

/**
 * Field fault B41: what is written here, other readers of Arrow take. The slice lies in the
 * repository: lakestream-python reads it with pyarrow, the command line with Arrow's own reader.
 * {@code -Dlakestream.golden=write} writes it anew.
 */
class GoldenSliceTest {

  private static final Path GOLDEN =
      Path.of("..", "lakestream-python", "tests", "golden", "rows.arrow");

  private static final StringData ORIGIN =
      StringData.fromString("https://example.org/a/path/that/repeats");

  private static final RowType TABLE =
      (RowType)
          DataTypes.ROW(
                  DataTypes.FIELD("id", DataTypes.BIGINT().notNull()),
                  DataTypes.FIELD("caption", DataTypes.STRING()),
                  DataTypes.FIELD("image", DataTypes.BYTES()),
                  DataTypes.FIELD("score", DataTypes.DOUBLE()),
                  DataTypes.FIELD("kept", DataTypes.BOOLEAN()),
                  DataTypes.FIELD("tags", DataTypes.ARRAY(DataTypes.INT())),
                  DataTypes.FIELD(
                      "box",
                      DataTypes.ROW(
                          DataTypes.FIELD("x", DataTypes.INT()),
                          DataTypes.FIELD("y", DataTypes.STRING()))),
                  DataTypes.FIELD("origin", DataTypes.STRING()),
                  DataTypes.FIELD("nothing", DataTypes.STRING()),
                  DataTypes.FIELD("price", DataTypes.DECIMAL(10, 2)),
                  DataTypes.FIELD("seen_at", DataTypes.TIMESTAMP(3)),
                  DataTypes.FIELD(
                      "marks", DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.INT())),
                  DataTypes.FIELD("empties", DataTypes.ARRAY(DataTypes.STRING())))
              .getLogicalType();

  private static final List<RowData> ROWS =
      List.of(
          GenericRowData.of(
              1L,
              StringData.fromString("a cat"),
              new byte[] {0, (byte) 0xff},
              0.5,
              true,
              new GenericArrayData(new Object[] {1, null, 3}),
              GenericRowData.of(7, StringData.fromString("é")),
              ORIGIN,
              null,
              price("12.34"),
              TimestampData.fromLocalDateTime(LocalDateTime.parse("2026-01-02T03:04:05.678")),
              new GenericMapData(Map.of(StringData.fromString("a"), 1)),
              new GenericArrayData(new Object[0])),
          GenericRowData.of(
              2L,
              StringData.fromString("a dog"),
              new byte[] {1},
              -1.25,
              false,
              new GenericArrayData(new Object[0]),
              GenericRowData.of(null, null),
              ORIGIN,
              null,
              price("-0.01"),
              TimestampData.fromEpochMillis(-1),
              new GenericMapData(Map.of()),
              new GenericArrayData(new Object[0])),
          GenericRowData.of(
              3L,
              StringData.fromString("a cat"),
              new byte[0],
              1e300,
              null,
              null,
              null,
              ORIGIN,
              null,
              null,
              null,
              null,
              new GenericArrayData(new Object[0])),
          GenericRowData.of(
              -4L,
              null,
              null,
              null,
              true,
              new GenericArrayData(new Object[] {null}),
              GenericRowData.of(8, null),
              null,
              null,
              price("99999999.99"),
              TimestampData.fromEpochMillis(0),
              null,
              new GenericArrayData(new Object[0])));

  private static DecimalData price(String text) {
    return DecimalData.fromBigDecimal(new BigDecimal(text), 10, 2);
  }

  @Test
  void theSliceInTheRepositoryIsWhatIsWritten() throws IOException {
    ByteBuffer written = new ArrowSliceWriter(TABLE, true).write(ROWS);
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    if ("write".equals(System.getProperty("lakestream.golden"))) {
      Files.createDirectories(GOLDEN.getParent());
      Files.write(GOLDEN, bytes);
    } else {
      assertThat(bytes).isEqualTo(Files.readAllBytes(GOLDEN));
    }
  }

  @Test
  void itsRowsAreReadAsTheyWere() throws IOException {
    int[][] all =
        IntStream.range(0, TABLE.getFieldCount())
            .mapToObj(column -> new int[] {column})
            .toArray(int[][]::new);
    ByteBuffer golden = ByteBuffer.wrap(Files.readAllBytes(GOLDEN));
    assertThat(new ArrowSliceReader(TABLE, all).read(golden, ROWS.size(), all.length, "rows.arrow"))
        .extracting(row -> RandomRows.plain(row, TABLE))
        .isEqualTo(ROWS.stream().map(row -> RandomRows.plain(row, TABLE)).toList());
  }
}
