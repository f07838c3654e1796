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
package dev.lakestream.flink.source;

import dev.lakestream.batch.slice.RecordSlice;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** {@link SliceDeserializer#records}. */
final class RecordSlices<OUT> implements SliceDeserializer<OUT> {

  private static final long serialVersionUID = 1L;

  /** Prepares the decoding of records. */
  interface Opening extends Serializable {
    void open(DeserializationSchema.InitializationContext context) throws Exception;
  }

  /** Decodes one record. */
  interface Decoding<OUT> extends Serializable {
    OUT decode(FoundRecord record) throws IOException;
  }

  private final Opening opening;
  private final Decoding<OUT> decoding;
  private final TypeInformation<OUT> type;

  RecordSlices(Opening opening, Decoding<OUT> decoding, TypeInformation<OUT> type) {
    this.opening = opening;
    this.decoding = decoding;
    this.type = type;
  }

  @Override
  public void open(DeserializationSchema.InitializationContext context) throws Exception {
    opening.open(context);
  }

  @Override
  public RecordIterator<OUT> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    RecordSlice records = RecordSlice.decode(bytes, slice.what());
    return new IndexedRecords<>(
        from,
        records.count(),
        index ->
            decoding.decode(
                new FoundRecord(slice, index, WholeSlices.copy(records.record(index)))));
  }

  @Override
  public TypeInformation<OUT> getProducedType() {
    return type;
  }
}
