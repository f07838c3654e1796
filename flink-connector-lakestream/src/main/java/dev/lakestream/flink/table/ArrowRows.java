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
package dev.lakestream.flink.table;

import dev.lakestream.flink.source.RecordIterator;
import dev.lakestream.flink.source.SliceDeserializer;
import dev.lakestream.flink.source.SliceMetadata;
import dev.lakestream.flink.source.SliceProjection;
import dev.lakestream.flink.table.arrow.ArrowSliceReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/** Rows of slices in the format arrow. */
final class ArrowRows implements SliceDeserializer<RowData> {

  private static final long serialVersionUID = 1L;

  private final RowType columns;
  private final int[][] projection;
  private final RowShape shape;

  private transient ArrowSliceReader reader;
  private transient SliceProjection<RowData> some;

  /**
   * @param columns that the table declares
   * @param projection of them, as paths
   */
  ArrowRows(RowType columns, int[][] projection, RowShape shape) {
    this.columns = columns;
    this.projection = projection;
    this.shape = shape;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    reader = new ArrowSliceReader(columns, projection);
    long read = Arrays.stream(projection).mapToInt(path -> path[0]).distinct().count();
    some = read < columns.getFieldCount() ? new SomeColumns() : null;
  }

  @Override
  public SliceProjection<RowData> projection() {
    return some;
  }

  private final class SomeColumns implements SliceProjection<RowData> {
    @Override
    public long endLength(ByteBuffer end) {
      return ArrowSliceReader.indexLength(end);
    }

    @Override
    public List<Range> wanted(ByteBuffer end, String what) {
      return reader.wanted(end, what);
    }

    @Override
    public RecordIterator<RowData> read(SliceMetadata slice, Parts parts, long from) {
      List<GenericRowData> rows =
          reader.read(
              parts.end(), parts.wanted(), slice.records(), shape.arity(), RowShape.name(slice));
      return shape.iterator(slice, from, rows::get);
    }
  }

  @Override
  public RecordIterator<RowData> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    List<GenericRowData> rows =
        reader.read(bytes, slice.records(), shape.arity(), RowShape.name(slice));
    return shape.iterator(slice, from, rows::get);
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return shape.type();
  }
}
