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
package dev.lakestream.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.lakestream.LakestreamException;
import dev.lakestream.proto.StreamObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FrameTest {

  private static final String WHAT = "stream in heap:";
  private static final StreamObject MESSAGE =
      StreamObject.newBuilder()
          .setSliceFormat("raw")
          .setCreatedAt(1)
          .putOptions("b", "2")
          .putOptions("a", "1")
          .build();

  private static StreamObject decode(byte[] object) {
    return Frame.decode(ByteBuffer.wrap(object), "LKST", 1, StreamObject.parser(), WHAT);
  }

  /** The same bytes as in docs/format.md. */
  @Test
  void bytesOfVersion1AreAsDocumented() {
    StreamObject message = StreamObject.newBuilder().setSliceFormat("raw").build();
    byte[] object = Frame.encode("LKST", 1, message);
    assertThat(HexFormat.of().formatHex(object))
        .isEqualTo(
            "4c4b5354" // "LKST"
                + "01000000" // version 1
                + "2203726177" // field 4: "raw"
                + "05000000" // 5 bytes of message
                + "2c504317" // CRC32C of the 17 bytes before
                + "4c4b5354");
    assertThat(decode(object)).isEqualTo(message);
  }

  @Test
  void crcIsCastagnoli() {
    assertThat(Frame.crc32c(ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII))))
        .isEqualTo(0xe3069283);
  }

  @Test
  void aMessageComesBackAndEqualMessagesAreEqualBytes() {
    byte[] object = Frame.encode("LKST", 1, MESSAGE);
    assertThat(decode(object)).isEqualTo(MESSAGE);
    StreamObject otherOrder =
        MESSAGE.toBuilder().clearOptions().putOptions("a", "1").putOptions("b", "2").build();
    assertThat(Frame.encode("LKST", 1, otherOrder)).isEqualTo(object);
  }

  @Test
  void anObjectInsideALargerBufferIsRead() {
    byte[] object = Frame.encode("LKST", 1, MESSAGE);
    ByteBuffer larger = ByteBuffer.allocateDirect(object.length + 20);
    larger.position(7).put(object).flip().position(7);
    assertThat(Frame.decode(larger, "LKST", 1, StreamObject.parser(), WHAT)).isEqualTo(MESSAGE);
    assertThat(larger.position()).isEqualTo(7);
  }

  @Test
  void anEmptyMessageIsAnObject() {
    byte[] object = Frame.encode("LKST", 1, StreamObject.getDefaultInstance());
    assertThat(decode(object)).isEqualTo(StreamObject.getDefaultInstance());
  }

  @Test
  void aCutAnywhereIsCorrupt() {
    byte[] object = Frame.encode("LKST", 1, MESSAGE);
    for (int length = 0; length < object.length; length++) {
      byte[] cut = Arrays.copyOf(object, length);
      assertThatThrownBy(() -> decode(cut))
          .as("%s of %s bytes", length, object.length)
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining(WHAT);
    }
    assertThatThrownBy(() -> decode(Arrays.copyOf(object, object.length + 1)))
        .isInstanceOf(CorruptObjectException.class);
  }

  @Test
  void anyFlippedBitIsFound() {
    byte[] object = Frame.encode("LKST", 1, MESSAGE);
    for (int bit = 0; bit < object.length * 8; bit++) {
      byte[] changed = object.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> decode(changed))
          .as("bit %s", bit)
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining(WHAT);
    }
  }

  @Test
  void aNewerVersionIsSaidToBeNewer() {
    byte[] object = Frame.encode("LKST", 2, MESSAGE);
    assertThatThrownBy(() -> decode(object))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining(WHAT)
        .hasMessageContaining("version 2")
        .hasMessageContaining("up to 1");
    assertThat(Frame.decode(ByteBuffer.wrap(object), "LKST", 3, StreamObject.parser(), WHAT))
        .isEqualTo(MESSAGE);
  }

  @Test
  void versionZeroIsCorrupt() {
    assertThatThrownBy(() -> decode(Frame.encode("LKST", 0, MESSAGE)))
        .isInstanceOf(CorruptObjectException.class);
  }

  @Test
  void anObjectOfAnotherKindIsNamedAsSuch() {
    byte[] manifest = Frame.encode("LKSM", 1, MESSAGE);
    assertThatThrownBy(() -> decode(manifest))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(WHAT)
        .hasMessageContaining("\"LKST\"");
  }

  @Test
  void aMessageThatIsNoneIsCorrupt() {
    ByteBuffer cut = ByteBuffer.wrap(HexFormat.of().parseHex("227f72")); // 127 bytes, and has 1
    assertThatThrownBy(() -> Frame.parse(cut, StreamObject.parser(), WHAT))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(WHAT);
  }

  @Test
  void uuidsAreMostSignificantByteFirst() {
    UUID id = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    ByteString bytes = Uuids.toBytes(id);
    assertThat(HexFormat.of().formatHex(bytes.toByteArray()))
        .isEqualTo(Uuids.hex(id))
        .isEqualTo("00112233445566778899aabbccddeeff");
    assertThat(Uuids.fromBytes(bytes, WHAT)).isEqualTo(id);
    assertThat(Uuids.fromHex(Uuids.hex(id))).isEqualTo(id);
    assertThatThrownBy(() -> Uuids.fromBytes(bytes.substring(1), WHAT))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("15 bytes");
  }
}
