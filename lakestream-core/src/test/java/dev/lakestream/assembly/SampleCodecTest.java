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
package dev.lakestream.assembly;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SampleCodecTest {

  private static final String GOLDEN_BYTES = "01010100fffffffffffffffffbffffffffffffff686962bf0478";
  private static final String GOLDEN_TOKENS =
      "010200002a0000000000000000000000000000000300000002010000000001008253c3b4";

  private static final Sample BYTES =
      Sample.ofBytes(-1, ByteBuffer.wrap("hi".getBytes(US_ASCII))).at(-5);
  private static final Sample TOKENS =
      new Sample.Tokens(42, OptionalLong.empty(), 3, IntBuffer.wrap(new int[] {258, 65_536}));

  @Test
  void bytesAreThoseOfTheFirstVersion() {
    assertThat(HexFormat.of().formatHex(SampleCodec.encode(BYTES))).isEqualTo(GOLDEN_BYTES);
    assertThat(HexFormat.of().formatHex(SampleCodec.encode(TOKENS))).isEqualTo(GOLDEN_TOKENS);
    assertThat(SampleCodec.decode(golden(GOLDEN_BYTES))).isEqualTo(BYTES);
    assertThat(SampleCodec.decode(golden(GOLDEN_TOKENS))).isEqualTo(TOKENS);
  }

  @Property(tries = 200)
  void samplesOfBytesComeBack(
      @ForAll long id, @ForAll Long time, @ForAll boolean timed, @ForAll byte[] payload) {
    Sample sample = Sample.ofBytes(id, ByteBuffer.wrap(payload));
    sample = timed ? sample.at(time) : sample;
    assertThat(SampleCodec.decode(ByteBuffer.wrap(SampleCodec.encode(sample)))).isEqualTo(sample);
  }

  @Property(tries = 200)
  void samplesOfTokensComeBack(
      @ForAll long id,
      @ForAll @IntRange(max = 1 << 30) int firstPosition,
      @ForAll @Size(min = 1, max = 50) int[] tokens) {
    Sample sample =
        new Sample.Tokens(id, OptionalLong.of(id), firstPosition, IntBuffer.wrap(tokens));
    assertThat(SampleCodec.decode(ByteBuffer.wrap(SampleCodec.encode(sample)))).isEqualTo(sample);
  }

  @Property(tries = 200)
  void attributesComeBack(
      @ForAll @Size(max = 5) Map<String, String> attributes, @ForAll byte[] payload) {
    for (Sample sample : new Sample[] {Sample.ofBytes(1, ByteBuffer.wrap(payload)).at(3), TOKENS}) {
      Sample stated = sample.with(wellFormed(attributes));
      assertThat(SampleCodec.decode(ByteBuffer.wrap(SampleCodec.encode(stated)))).isEqualTo(stated);
    }
  }

  /** Without halves of surrogate pairs, which UTF-8 does not have. */
  private static Map<String, String> wellFormed(Map<String, String> texts) {
    Map<String, String> found = new HashMap<>();
    texts.forEach((key, value) -> found.put(wellFormed(key), wellFormed(value)));
    return found;
  }

  private static String wellFormed(String text) {
    return new String(text.getBytes(UTF_8), UTF_8);
  }

  @Test
  void attributesThatEndEarlyAreSeenEvenWithARightChecksum() {
    byte[] bytes = SampleCodec.encode(TOKENS.with(Map.of("key", "value")));
    for (int length = 20; length < 20 + 4 + 4 + 3 + 4 + 5; length++) {
      ByteBuffer cut =
          ByteBuffer.allocate(length + 4).order(ByteOrder.LITTLE_ENDIAN).put(bytes, 0, length);
      cut.putInt(length, Frame.crc32c(cut.slice(0, length)));
      assertThatThrownBy(() -> SampleCodec.decode(cut.rewind()))
          .isInstanceOf(CorruptObjectException.class);
    }
  }

  @Test
  void everyDamagedByteIsSeen() {
    for (String hex : new String[] {GOLDEN_BYTES, GOLDEN_TOKENS}) {
      for (int at = 1; at < hex.length() / 2; at++) {
        ByteBuffer bad = golden(hex);
        bad.put(at, (byte) ~bad.get(at));
        assertThatThrownBy(() -> SampleCodec.decode(bad))
            .isInstanceOf(CorruptObjectException.class);
      }
    }
  }

  @Test
  void everyCutIsSeen() {
    for (int length = 0; length < GOLDEN_TOKENS.length() / 2; length++) {
      ByteBuffer cut = golden(GOLDEN_TOKENS).limit(length);
      assertThatThrownBy(() -> SampleCodec.decode(cut)).isInstanceOf(CorruptObjectException.class);
    }
  }

  @Test
  void stateOfANewerBuildIsToldApartFromDamage() {
    ByteBuffer newer = golden(GOLDEN_BYTES).put(0, (byte) 3);
    assertThatThrownBy(() -> SampleCodec.decode(newer))
        .isInstanceOf(UnsupportedVersionException.class);
  }

  @Test
  void anUnknownKindIsRefusedEvenWithARightChecksum() {
    ByteBuffer bad = golden(GOLDEN_BYTES).put(1, (byte) 3).order(ByteOrder.LITTLE_ENDIAN);
    int crcAt = bad.limit() - 4;
    bad.putInt(crcAt, Frame.crc32c(bad.slice(0, crcAt)));
    assertThatThrownBy(() -> SampleCodec.decode(bad))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("kind 3");
  }

  @Test
  void aSampleWithoutContentIsRefusedByItsId() {
    assertThatThrownBy(() -> Sample.ofTokens(-1))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Sample 18446744073709551615 has no tokens");
    assertThatThrownBy(() -> Sample.ofBytes(3, null))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("Sample 3");
    assertThatThrownBy(
            () ->
                new Sample.Tokens(
                    4, OptionalLong.empty(), Integer.MAX_VALUE, IntBuffer.wrap(new int[2])))
        .isInstanceOf(InvalidSampleException.class)
        .hasMessageContaining("position 2147483647");
  }

  private static ByteBuffer golden(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }
}
