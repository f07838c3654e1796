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
package dev.lakestream.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class CursorTest {

  private static final UUID STREAM = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
  private static final Cursor CURSOR =
      new Cursor(STREAM, 42, 81_200, 162_401, new Mesh(2, 4), ReadMode.ROWS);
  private static final Cursor FORMAT_1 = new Cursor(STREAM, 42, 81_200, new Mesh(2, 4));

  @Test
  void goldenBytes() {
    assertThat(HexFormat.of().formatHex(CURSOR.toBytes())).isEqualTo(GOLDEN_BYTES);
    assertThat(Cursor.fromBytes(HexFormat.of().parseHex(GOLDEN_BYTES))).isEqualTo(CURSOR);
  }

  @Test
  void goldenText() {
    assertThat(CURSOR.toText()).isEqualTo(GOLDEN_TEXT).isEqualTo(CURSOR.toString());
    assertThat(Cursor.parse("  " + GOLDEN_TEXT + "\n")).isEqualTo(CURSOR);
  }

  private static final String GOLDEN_BYTES =
      "4c4b43550200000000112233445566778899aabbccddeeff2a00000000000000303d010000000000617a020000000000020000000400000001000000875f1703";
  private static final String GOLDEN_TEXT =
      "lakestream-cursor:2:00112233-4455-6677-8899-aabbccddeeff:v42:s81200:r162401:2x4:rows:3fbf1cc3";

  @Test
  void format1IsStillReadAndWrittenAsItWas() {
    String bytes =
        "4c4b43550100000000112233445566778899aabbccddeeff2a00000000000000303d0100000000000200000004000000b7f6927c";
    String text =
        "lakestream-cursor:1:00112233-4455-6677-8899-aabbccddeeff:v42:s81200:2x4:ba53b02f";
    assertThat(Cursor.fromBytes(HexFormat.of().parseHex(bytes))).isEqualTo(FORMAT_1);
    assertThat(Cursor.parse(text)).isEqualTo(FORMAT_1);
    assertThat(HexFormat.of().formatHex(FORMAT_1.toBytes())).isEqualTo(bytes);
    assertThat(FORMAT_1.toText()).isEqualTo(text);
    assertThat(FORMAT_1.mode()).isEqualTo(ReadMode.EXACT);
    assertThat(FORMAT_1.row()).isEqualTo(Cursor.UNKNOWN_ROW);
  }

  @Property(tries = 200)
  void anyCursorComesBackFromBothForms(
      @ForAll long high,
      @ForAll long low,
      @ForAll @LongRange(min = 0) long version,
      @ForAll @LongRange(min = 0) long step,
      @ForAll @IntRange(min = 1, max = 1024) int dp,
      @ForAll @IntRange(min = 1, max = 1024) int cp,
      @ForAll @LongRange(min = 0) long row,
      @ForAll ReadMode mode) {
    Cursor cursor = new Cursor(new UUID(high, low), version, step, row, new Mesh(dp, cp), mode);
    assertThat(cursor.toBytes()).hasSize(Cursor.LENGTH);
    assertThat(Cursor.fromBytes(cursor.toBytes())).isEqualTo(cursor);
    assertThat(Cursor.parse(cursor.toText())).isEqualTo(cursor);
  }

  @Test
  void anyFlippedBitIsFound() {
    for (int bit = 0; bit < 8 * Cursor.LENGTH; bit++) {
      byte[] damaged = CURSOR.toBytes();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> Cursor.fromBytes(damaged))
          .isInstanceOfAny(CorruptObjectException.class, UnsupportedVersionException.class);
    }
  }

  @Test
  void anyOtherLengthIsFound() {
    for (int length = 0; length <= Cursor.LENGTH + 1; length++) {
      if (length != Cursor.LENGTH) {
        byte[] cut = Arrays.copyOf(CURSOR.toBytes(), length);
        assertThatThrownBy(() -> Cursor.fromBytes(cut)).isInstanceOf(CorruptObjectException.class);
      }
    }
  }

  @Test
  void anyChangedCharacterIsFound() {
    String text = CURSOR.toText();
    for (int i = 0; i < text.length(); i++) {
      for (char c : new char[] {'0', '1', 'a', 'x', ':'}) {
        String damaged = text.substring(0, i) + c + text.substring(i + 1);
        if (c != text.charAt(i)) {
          assertThatThrownBy(() -> Cursor.parse(damaged))
              .isInstanceOf(CorruptObjectException.class);
        }
      }
    }
  }

  @Test
  void aModeThatThereIsNotIsFound() {
    String text = "lakestream-cursor:2:" + STREAM + ":v1:s1:r1:1x1:rowz";
    String checksum = CursorTest.crc(text);
    assertThatThrownBy(() -> Cursor.parse(text + ":" + checksum))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("mode");
    assertThatThrownBy(
            () -> new Cursor(STREAM, 1, 1, Cursor.UNKNOWN_ROW, new Mesh(1, 1), ReadMode.ROWS))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String crc(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return "%08x".formatted(Frame.crc32c(bytes, 0, bytes.length));
  }

  private static Cursor of(long version, long step) {
    return new Cursor(STREAM, version, step, 2 * step, new Mesh(2, 1), ReadMode.EXACT);
  }

  @Test
  void cursorsOfAllRanksAreOneWhateverManifestEachSaw() {
    assertThat(Cursor.ofRanks(Map.of(0, of(7, 5), 1, of(9, 5), 2, of(8, 5), 3, of(7, 5)), 4))
        .isEqualTo(of(9, 5));
  }

  @Test
  void aMissingCursorAndCursorsOfTwoStepsAreRefusedNamingTheRanks() {
    assertThatThrownBy(() -> Cursor.ofRanks(Map.of(0, of(7, 5), 2, of(7, 5), 3, of(7, 5)), 4))
        .isInstanceOf(CursorsDisagreeException.class)
        .hasMessageContaining("of 4 ranks holds the cursors of 3")
        .hasMessageContaining("ranks [1]");
    assertThatThrownBy(() -> Cursor.ofRanks(Map.of(0, of(7, 5), 1, of(7, 5), 4, of(7, 5)), 2))
        .isInstanceOf(CursorsDisagreeException.class)
        .hasMessageContaining("no ranks [4]");
    assertThatThrownBy(() -> Cursor.ofRanks(Map.of(0, of(7, 5), 1, of(7, 6)), 2))
        .isInstanceOf(CursorsDisagreeException.class)
        .hasMessageContaining("rank 1")
        .hasMessageContaining(of(7, 6).toText());
    assertThatThrownBy(() -> Cursor.ofRanks(Map.of(0, of(7, 5), 1, of(7, 5), 2, of(7, 5)), 3))
        .isInstanceOf(CursorsDisagreeException.class)
        .hasMessageContaining("3 ranks")
        .hasMessageContaining("2x1");
  }

  @Test
  void aNewerFormIsNamedAsSuch() {
    byte[] newer = CURSOR.toBytes();
    newer[4] = 3;
    assertThatThrownBy(() -> Cursor.fromBytes(newer))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("version 3");
    assertThatThrownBy(() -> Cursor.parse("lakestream-cursor:3:whatever"))
        .hasMessageContaining("does not read");
  }
}
