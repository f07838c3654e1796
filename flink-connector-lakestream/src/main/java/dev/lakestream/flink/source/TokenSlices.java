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

import dev.lakestream.batch.slice.TokenSlice;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** {@link SliceDeserializer#tokens}. */
final class TokenSlices implements SliceDeserializer<TokenRecord> {

  private static final long serialVersionUID = 1L;

  @Override
  public RecordIterator<TokenRecord> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    TokenSlice sequences = TokenSlice.decode(bytes, slice.what());
    return new IndexedRecords<>(
        from,
        sequences.count(),
        index ->
            new TokenRecord(
                slice,
                index,
                sequences.tokens(index),
                sequences.positions(index),
                sequences.segmentIds(index),
                sequences.targets(index)));
  }

  @Override
  public TypeInformation<TokenRecord> getProducedType() {
    return TypeInformation.of(TokenRecord.class);
  }
}
