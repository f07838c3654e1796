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

import java.nio.ByteBuffer;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** {@link SliceDeserializer#slices}. */
final class WholeSlices implements SliceDeserializer<SliceRecord> {

  private static final long serialVersionUID = 1L;

  @Override
  public RecordIterator<SliceRecord> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    return new IndexedRecords<>(from, 1, index -> new SliceRecord(slice, copy(bytes)));
  }

  static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return copy;
  }

  @Override
  public TypeInformation<SliceRecord> getProducedType() {
    return TypeInformation.of(SliceRecord.class);
  }
}
