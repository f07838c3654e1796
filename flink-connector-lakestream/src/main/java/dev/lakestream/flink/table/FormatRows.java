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

import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.flink.source.RecordIterator;
import dev.lakestream.flink.source.SliceDeserializer;
import dev.lakestream.flink.source.SliceMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.connector.Projection;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;

/** Rows that one of Flink's formats decodes, each from a record of its own. */
final class FormatRows implements SliceDeserializer<RowData> {

  private static final long serialVersionUID = 1L;

  private final DeserializationSchema<RowData> schema;
  private final int[] positions;
  private final LogicalType[] types;
  private final RowShape shape;

  private transient RowData.FieldGetter[] getters;

  /**
   * @param positions in the rows of the schema, of the columns that are read
   * @param types of these columns
   */
  private FormatRows(
      DeserializationSchema<RowData> schema, int[] positions, LogicalType[] types, RowShape shape) {
    this.schema = schema;
    this.positions = positions;
    this.types = types;
    this.shape = shape;
  }

  /**
   * Decodes whole rows: a record says nothing of what it was written with, so that a decoder which
   * is told of some columns only would take it for a record of these.
   *
   * @param projection of columns, not of fields inside them
   */
  static FormatRows of(
      DecodingFormat<DeserializationSchema<RowData>> format,
      DynamicTableSource.Context context,
      DataType physical,
      int[][] projection,
      RowShape shape) {
    int[] positions = Projection.of(projection).toTopLevelIndexes();
    List<LogicalType> all = physical.getLogicalType().getChildren();
    return new FormatRows(
        format.createRuntimeDecoder(context, physical),
        positions,
        Arrays.stream(positions).mapToObj(all::get).toArray(LogicalType[]::new),
        shape);
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) throws Exception {
    schema.open(context);
    getters = new RowData.FieldGetter[types.length];
    for (int i = 0; i < types.length; i++) {
      getters[i] = RowData.createFieldGetter(types[i].copy(true), positions[i]);
    }
  }

  @Override
  public RecordIterator<RowData> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    RecordSlice records = RecordSlice.decode(bytes, RowShape.name(slice));
    RowShape.requireCount(slice, records.count());
    return shape.iterator(slice, from, index -> row(records.record(index)));
  }

  /** Null: the format was told to leave out what it cannot read. */
  private GenericRowData row(ByteBuffer record) throws IOException {
    byte[] bytes = new byte[record.remaining()];
    record.get(bytes);
    RowData decoded = schema.deserialize(bytes);
    if (decoded == null) {
      return null;
    }
    GenericRowData row = new GenericRowData(shape.arity());
    for (int i = 0; i < getters.length; i++) {
      row.setField(i, getters[i].getFieldOrNull(decoded));
    }
    return row;
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return shape.type();
  }
}
