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
package dev.lakestream.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.TagObject;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The bytes of a tag, for ever: those that {@code docs/format.md} shows. */
class TagTest {

  private static final Tag TAG = new Tag(new UUID(1, 2), "v1", 100, 200, 1001, "eval");

  private static final byte[] OBJECT =
      HexFormat.of()
          .parseHex(
              ("4c4b5347 01000000" // "LKSG", version 1
                      + "0a10 00000000000000010000000000000002" // stream_id
                      + "1202 7631 1864 20c801 28e907 3204 6576616c" // v1, 100, 200, 1001, eval
                      + "24000000 98075152 4c4b5347") // 36 bytes, CRC32C, "LKSG"
                  .replace(" ", ""));

  @Test
  void aTagIsWrittenAndReadAsTheFormatSays() {
    assertThat(TagCodec.encode(TAG)).isEqualTo(OBJECT);
    assertThat(TagCodec.decode(ByteBuffer.wrap(OBJECT), "tag/v1")).isEqualTo(TAG);
  }

  @Test
  void anyFlippedBitIsFound() {
    for (int bit = 0; bit < OBJECT.length * 8; bit++) {
      byte[] damaged = OBJECT.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> TagCodec.decode(ByteBuffer.wrap(damaged), "tag/v1"))
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining("tag/v1");
    }
  }

  @Test
  void aTagOfNoStepsIsDamage() {
    byte[] empty =
        Frame.encode(
            TagCodec.MAGIC,
            TagCodec.VERSION,
            TagObject.newBuilder()
                .setStreamId(Uuids.toBytes(TAG.streamId()))
                .setName("v1")
                .setFirstStep(100)
                .setNextStep(100)
                .build());
    assertThatThrownBy(() -> TagCodec.decode(ByteBuffer.wrap(empty), "tag/v1"))
        .isInstanceOf(CorruptObjectException.class);
  }
}
