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
package dev.lakestream.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.format.CorruptObjectException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamCodecTest {

  private static final byte[] GOLDEN =
      Golden.bytes(
          """
          4c4b5354  # magic LKST
          01000000  # format version
          0a100102030405060708090a0b0c0d0e0f10  # stream_id
          10e807  # created_at 1000
          1a04  # default_mesh, 4 bytes
            0802  # dp 2
            1003  # cp 3
          2203726177  # slice_format "raw"
          2a0173  # schema "s"
          3206  # options, 6 bytes
            0a0161  # key "a"
            120131  # value "1"
          3206  # options, 6 bytes
            0a0162  # key "b"
            120132  # value "2"
          33000000  # message length 51
          6f22da86  # CRC32C of all before
          4c4b5354  # magic
          """);

  @Test
  void theBytesAreAsWrittenDown() {
    assertThat(StreamCodec.encode(Golden.INFO)).isEqualTo(GOLDEN);
    assertThat(StreamCodec.decode(ByteBuffer.wrap(GOLDEN), "it")).isEqualTo(Golden.INFO);
  }

  /** Field fault B26: the schema of a wide table, and an option, past 64 KiB. */
  @Test
  void longTextsComeBack() {
    StreamInfo large =
        new StreamInfo(
            Golden.INFO.id(),
            1000,
            Golden.INFO.defaultMesh(),
            "arrow",
            "列".repeat(100_000),
            Map.of("é".repeat(40_000), "数".repeat(70_000)));
    assertThat(StreamCodec.decode(ByteBuffer.wrap(StreamCodec.encode(large)), "it"))
        .isEqualTo(large);
  }

  @Test
  void everyFlippedBitIsFound() {
    for (int bit = 0; bit < GOLDEN.length * 8; bit++) {
      byte[] flipped = GOLDEN.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> StreamCodec.decode(ByteBuffer.wrap(flipped), "it"))
          .as("bit %s", bit)
          .isInstanceOf(LakestreamException.class);
    }
  }

  @Test
  void everyTruncationIsFound() {
    for (int length = 0; length < GOLDEN.length; length++) {
      ByteBuffer beginning = ByteBuffer.wrap(Arrays.copyOf(GOLDEN, length));
      assertThatThrownBy(() -> StreamCodec.decode(beginning, "it"))
          .isInstanceOf(CorruptObjectException.class);
    }
  }
}
