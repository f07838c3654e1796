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
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import dev.lakestream.batch.slice.SliceFormats;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * Takes rows out of slices in the format arrow. A slice is written anew from its rows, dictionaries
 * too, so that no value of a row that went stays behind in one. Not thread-safe.
 */
public final class ArrowSliceEditor implements SliceEditor {

  private final int arity;
  private final ArrowSliceReader reader;
  private final ArrowSliceWriter writer;

  /**
   * @param columns all of the table's
   */
  public ArrowSliceEditor(RowType columns) {
    this.arity = columns.getFieldCount();
    int[][] all = IntStream.range(0, arity).mapToObj(i -> new int[] {i}).toArray(int[][]::new);
    this.reader = new ArrowSliceReader(columns, all);
    this.writer = new ArrowSliceWriter(columns, true);
  }

  @Override
  public String format() {
    return SliceFormats.ARROW;
  }

  @Override
  public Edit without(Removal removal, int dp, List<Slice> chunks, String what) {
    if (!(removal instanceof Removal.Records numbers)) {
      throw new InvalidBatchException(
          what + " is of the format \"arrow\". Name the rows by their numbers in the slice.");
    }
    if (numbers.dp() != dp) {
      return new Edit(chunks, 0);
    }
    Slice slice = chunks.get(numbers.cp());
    if (numbers.records().last() >= slice.records()) {
      throw new InvalidBatchException(
          what
              + " has "
              + slice.records()
              + " rows in chunk "
              + numbers.cp()
              + ": there is no row "
              + numbers.records().last()
              + ".");
    }
    List<GenericRowData> rows = reader.read(slice.bytes(), slice.records(), arity, what);
    List<GenericRowData> kept =
        IntStream.range(0, rows.size())
            .filter(i -> !numbers.records().contains(i))
            .mapToObj(rows::get)
            .toList();
    List<Slice> edited = new ArrayList<>(chunks);
    edited.set(
        numbers.cp(),
        kept.isEmpty() ? Slice.of(new byte[0], 0) : new Slice(writer.write(kept), kept.size()));
    return new Edit(edited, rows.size() - kept.size());
  }
}
