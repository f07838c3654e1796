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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.format.CorruptObjectException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class SliceDeserializerTest {

  private static final SliceMetadata METADATA =
      new SliceMetadata(
          7, 1, 0, 2, 1, 3, 17, 1000, "ingest", 4, "data/x", 5L, null, 0, Map.of("a", "b"));

  private static <OUT> List<OUT> read(
      SliceDeserializer<OUT> deserializer, ByteBuffer bytes, long from) throws IOException {
    List<OUT> all = new ArrayList<>();
    try (RecordIterator<OUT> records = deserializer.read(METADATA, bytes, from)) {
      long last = from - 1;
      while (records.advance()) {
        assertThat(records.index()).isGreaterThan(last);
        last = records.index();
        all.add(records.record());
      }
      assertThat(records.advance()).isFalse();
    }
    return all;
  }

  @Test
  void recordsAreReadFromAnyIndexOn() throws Exception {
    ByteBuffer bytes = TestStream.slice(List.of("a", "", "c")).bytes();
    SliceDeserializer<String> records = SliceDeserializer.records(new SimpleStringSchema());
    assertThat(read(records, bytes, 0)).containsExactly("a", "", "c");
    assertThat(read(records, bytes, 1)).containsExactly("", "c");
    assertThat(read(records, bytes, 3)).isEmpty();
    assertThat(read(records, bytes, 1L << 40)).isEmpty();
    assertThat(read(records, ByteBuffer.allocate(0), 0)).isEmpty();
  }

  @Test
  void bytesInAnotherFormatAreRefusedByName() {
    assertThatThrownBy(
            () ->
                read(
                    SliceDeserializer.records(new SimpleStringSchema()),
                    ByteBuffer.wrap(new byte[64]),
                    0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("Slice (1, 0) of step 7 in data/x");
  }

  @Test
  void aWholeSliceIsOneRecordAlsoWhenItIsEmpty() throws Exception {
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3}).asReadOnlyBuffer();
    assertThat(read(SliceDeserializer.slices(), bytes, 0))
        .containsExactly(new SliceRecord(METADATA, new byte[] {1, 2, 3}));
    assertThat(read(SliceDeserializer.slices(), bytes, 1)).isEmpty();
    assertThat(read(SliceDeserializer.slices(), ByteBuffer.allocate(0), 0)).hasSize(1);
  }

  @Test
  void sequencesOfTokensAreReadFromAnyIndexOn() throws Exception {
    TokenFormat format = new TokenFormat(4, 1, TokenWidth.U16, 0);
    ByteBuffer bytes =
        TokenSlice.encode(
            format,
            0,
            List.of(
                List.of(new TokenSegment(1, 0, IntBuffer.wrap(new int[] {10, 11, 12}))),
                List.of(
                    new TokenSegment(2, 0, IntBuffer.wrap(new int[] {20, 21})),
                    new TokenSegment(3, 5, IntBuffer.wrap(new int[] {30, 31})))));
    List<TokenRecord> all = read(SliceDeserializer.tokens(), bytes, 0);
    assertThat(all)
        .containsExactly(
            new TokenRecord(
                METADATA,
                0,
                new int[] {10, 11, 12, 0},
                new int[] {0, 1, 2, 0},
                new int[] {1, 1, 1, 0},
                new int[] {11, 12, -1, -1}),
            new TokenRecord(
                METADATA,
                1,
                new int[] {20, 21, 30, 31},
                new int[] {0, 1, 5, 6},
                new int[] {1, 1, 2, 2},
                new int[] {21, -1, 31, -1}));
    assertThat(read(SliceDeserializer.tokens(), bytes, 1)).isEqualTo(all.subList(1, 2));
  }

  @Test
  void recordsGoThroughFlinksNetworkWithoutAGenericSerializer() throws Exception {
    SliceRecord slice = new SliceRecord(METADATA, new byte[] {1, 2, 3});
    assertThat(copy(SliceDeserializer.slices().getProducedType(), slice)).isEqualTo(slice);
    TokenRecord tokens =
        new TokenRecord(METADATA, 1, new int[] {1}, new int[] {2}, new int[] {3}, new int[] {-1});
    assertThat(copy(SliceDeserializer.tokens().getProducedType(), tokens)).isEqualTo(tokens);
  }

  private static <T> T copy(TypeInformation<T> type, T value) throws IOException {
    assertThat(type).isInstanceOf(PojoTypeInfo.class);
    SerializerConfigImpl config = new SerializerConfigImpl();
    config.setGenericTypes(false);
    TypeSerializer<T> serializer = type.createSerializer(config);
    DataOutputSerializer out = new DataOutputSerializer(64);
    serializer.serialize(value, out);
    return serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
  }

  @Test
  void theTimestampIsTheLeastEventTimeOrElseThatOfPublication() {
    assertThat(METADATA.timestamp()).isEqualTo(5);
    SliceMetadata unknown =
        new SliceMetadata(7, 1, 0, 2, 1, 3, 17, 1000, "p", 4, "data/x", null, null, 0, Map.of());
    assertThat(unknown.timestamp()).isEqualTo(1000);
  }
}
