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
import java.nio.ByteBuffer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/** Rows without columns, which are counted or have metadata: the slices themselves are not read. */
record MetadataRows(RowShape shape) implements SliceDeserializer<RowData> {

  private static final long serialVersionUID = 1L;

  @Override
  public Needs needs() {
    return shape.metadata().stream().anyMatch(MetadataKey::ofSlice) ? Needs.SLICES : Needs.STEPS;
  }

  @Override
  public RecordIterator<RowData> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    return shape.iterator(slice, from, index -> new GenericRowData(shape.arity()));
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return shape.type();
  }
}
