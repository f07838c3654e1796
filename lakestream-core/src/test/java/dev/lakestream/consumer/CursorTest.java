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
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class CursorTest {

  private static final Cursor CURSOR =
      new Cursor(
          UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"), 42, 81_200, new Mesh(2, 4));

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
      "4c4b43550100000000112233445566778899aabbccddeeff2a00000000000000303d0100000000000200000004000000b7f6927c";
  private static final String GOLDEN_TEXT =
      "lakestream-cursor:1:00112233-4455-6677-8899-aabbccddeeff:v42:s81200:2x4:ba53b02f";

  @Property(tries = 200)
  void anyCursorComesBackFromBothForms(
      @ForAll long high,
      @ForAll long low,
      @ForAll @LongRange(min = 0) long version,
      @ForAll @LongRange(min = 0) long step,
      @ForAll @IntRange(min = 1, max = 1024) int dp,
      @ForAll @IntRange(min = 1, max = 1024) int cp) {
    Cursor cursor = new Cursor(new UUID(high, low), version, step, new Mesh(dp, cp));
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
  void aNewerFormIsNamedAsSuch() {
    byte[] newer = CURSOR.toBytes();
    newer[4] = 2;
    assertThatThrownBy(() -> Cursor.fromBytes(newer))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> Cursor.parse("lakestream-cursor:2:whatever"))
        .hasMessageContaining("does not read");
  }
}
