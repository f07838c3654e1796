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
package dev.lakestream.batch.slice;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordSliceTest {

  private static final String GOLDEN = "61626302000000020000000300000003000000010000004c4b5253";

  @Test
  void bytesAreThoseOfTheSpecification() {
    ByteBuffer slice = RecordSlice.encode(List.of(text("ab"), text(""), text("c")));
    assertThat(HexFormat.of().formatHex(slice.array())).isEqualTo(GOLDEN);
    assertThat(RecordSlice.decode(golden()).records())
        .containsExactly(text("ab"), text(""), text("c"));
  }

  @Test
  void noRecordsAreNoBytes() {
    ByteBuffer slice = RecordSlice.encode(List.of());
    assertThat(slice.remaining()).isZero();
    assertThat(RecordSlice.decode(slice).count()).isZero();
    assertThat(RecordSlice.decode(slice).records()).isEmpty();
  }

  @Property(tries = 200)
  void recordsComeBackAsTheyWere(@ForAll @Size(max = 30) List<@Size(max = 40) byte[]> records) {
    List<ByteBuffer> buffers = records.stream().map(ByteBuffer::wrap).toList();
    RecordSlice slice = RecordSlice.decode(RecordSlice.encode(buffers));
    assertThat(slice.records()).isEqualTo(buffers);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void anEmptyRecordMayStandAnywhere(int at) {
    List<ByteBuffer> records = new ArrayList<>(List.of(text("x"), text("yy")));
    records.add(at, text(""));
    assertThat(RecordSlice.decode(RecordSlice.encode(records)).records()).isEqualTo(records);
  }

  @Test
  void recordsAreViewsOfTheSliceAndReadOnly() {
    ByteBuffer slice = RecordSlice.encode(List.of(text("ab"), text("c")));
    RecordSlice decoded = RecordSlice.decode(slice);
    slice.put(2, (byte) 'z');
    assertThat(decoded.record(1)).isEqualTo(text("z")).matches(ByteBuffer::isReadOnly);
  }

  @Test
  void encodingAndDecodingMoveNoBuffer() {
    ByteBuffer record = ByteBuffer.wrap(bytes("__ab__"), 2, 2);
    ByteBuffer slice = RecordSlice.encode(List.of(record));
    assertThat(record.position()).isEqualTo(2);
    RecordSlice.decode(slice).record(0).get();
    assertThat(slice.position()).isZero();
    assertThat(RecordSlice.decode(slice).record(0)).isEqualTo(text("ab"));
  }

  @Test
  void aSliceSplitsBetweenRanks() {
    List<ByteBuffer> records = List.of(text("a"), text("bb"), text("ccc"), text("d"), text("ee"));
    RecordSlice slice = RecordSlice.decode(RecordSlice.encode(records));
    List<ByteBuffer> rejoined = new ArrayList<>(slice.records().subList(0, 2));
    rejoined.addAll(slice.records().subList(2, slice.count()));
    assertThat(rejoined).isEqualTo(records);
  }

  @Test
  void aNullRecordIsRefusedByItsIndex() {
    assertThatThrownBy(() -> RecordSlice.encode(Arrays.asList(text("a"), null)))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("Record 1");
  }

  @Test
  void moreThanASliceTakesIsRefused() {
    ByteBuffer large = ByteBuffer.allocate(64 << 20);
    assertThatThrownBy(() -> RecordSlice.encode(java.util.Collections.nCopies(32, large)))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("2147483788 bytes")
        .hasMessageContaining("fewer records");
  }

  @Test
  void aNewerVersionIsToldApartFromDamage() {
    ByteBuffer newer = golden();
    newer.put(newer.limit() - 8, (byte) 2);
    assertThatThrownBy(() -> RecordSlice.decode(newer))
        .isInstanceOf(UnsupportedVersionException.class);
  }

  @Test
  void aCountThatTheBytesCannotHoldAllocatesNothing() {
    ByteBuffer bad = golden().order(ByteOrder.LITTLE_ENDIAN);
    for (int count : new int[] {4, 1 << 29, Integer.MAX_VALUE, -1}) {
      bad.putInt(bad.limit() - 12, count);
      assertThatThrownBy(() -> RecordSlice.decode(bad)).isInstanceOf(CorruptObjectException.class);
    }
  }

  @Property(tries = 500)
  void damageIsAnErrorOrHarmless(
      @ForAll @net.jqwik.api.constraints.IntRange(max = 26) int at, @ForAll byte value) {
    ByteBuffer bad = golden().put(at, value);
    try {
      RecordSlice.decode(bad).records().forEach(record -> assertThat(record).isNotNull());
    } catch (LakestreamException expected) {
      assertThat(expected).hasMessageContaining("slice of records");
    }
  }

  @Test
  void everyCutIsSeen() {
    for (int length = 1; length < golden().limit(); length++) {
      ByteBuffer cut = golden().limit(length);
      assertThatThrownBy(() -> RecordSlice.decode(cut)).isInstanceOf(CorruptObjectException.class);
    }
  }

  private static ByteBuffer golden() {
    return ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN));
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }
}
