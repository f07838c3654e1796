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
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SegmentCodecTest {

  /** Steps and rows are relative to the reference: both are 0, and not written. */
  private static final byte[] LEAF =
      Golden.bytes(
          """
          4c4b5353  # magic LKSS
          01000000  # format version
          0a100102030405060708090a0b0c0d0e0f10  # stream_id
          1002  # version 2
          2245  # descriptors, 69 bytes
            0a10646174612f30302f782e62756e646c65  # object "data/00/x.bundle"
            10a802  # object_length 296
            18c801  # footer_offset 200
            2050  # footer_length 80
            3002  # tgb_count 2
            4204  # mesh, 4 bytes
              0802  # dp 2
              1001  # cp 1
            4805  # records 5
            509601  # raw_bytes 150
            5a0170  # producer_id "p"
            6003  # sequence 3
            6a0d  # event_time, 13 bytes
              08ffffffffffffffffff01  # min -1
              1001  # max 1
            7206  # attributes, 6 bytes
              0a016b  # key "k"
              120176  # value "v"
            7860  # section_stride 96
          5b000000  # message length 91
          925c9a3e  # CRC32C of all before
          4c4b5353  # magic
          """);

  private static final byte[] INNER =
      Golden.bytes(
          """
          4c4b5353  # magic LKSS
          01000000  # format version
          0a100102030405060708090a0b0c0d0e0f10  # stream_id
          1002  # version 2
          1802  # level 2
          2a2b  # children, 43 bytes
            0a147365676d656e742f30302f782e7365676d656e74  # object "segment/00/x.segment"
            10f403  # object_length 500
            1d04030201  # object_crc 0x01020304
            2001  # level 1
            3004  # step_count 4
            4008  # row_count 8
            4802  # bundles 2
            500a  # records 10
            58ac02  # raw_bytes 300
          43000000  # message length 67
          8c9df138  # CRC32C of all before
          4c4b5353  # magic
          """);

  @Test
  void theBytesOfALeafAreAsWrittenDown() {
    assertThat(SegmentCodec.encodeLeaf(Golden.STREAM, 2, List.of(Golden.BUNDLE))).isEqualTo(LEAF);
    assertThat(decode(LEAF, leafRef(4, 2)).bundles()).containsExactly(Golden.BUNDLE);
  }

  @Test
  void theBytesOfAnInnerSegmentAreAsWrittenDown() {
    assertThat(SegmentCodec.encodeInner(Golden.STREAM, 2, 2, List.of(Golden.ROOT)))
        .isEqualTo(INNER);
    assertThat(decode(INNER, ref(2, 0, 4)).children()).containsExactly(Golden.ROOT);
  }

  @Test
  void everyFlippedBitIsFound() {
    for (int bit = 0; bit < LEAF.length * 8; bit++) {
      byte[] flipped = LEAF.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> decode(flipped, leafRef(4, 2)))
          .as("bit %s", bit)
          .isInstanceOf(LakestreamException.class);
    }
  }

  @Test
  void aSegmentThatIsNotWhatItsReferenceSaysIsRefused() {
    assertThatThrownBy(() -> decode(LEAF, leafRef(4, 3)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("hole");
    assertThatThrownBy(() -> decode(LEAF, ref(1, 4, 2)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("level");
    assertThatThrownBy(() -> decode(INNER, ref(2, 1, 4)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("hole");
    assertThatThrownBy(
            () -> SegmentCodec.decode(ByteBuffer.wrap(LEAF), leafRef(4, 2), new UUID(9, 9), "it"))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("belongs to stream");
  }

  @Test
  void aSegmentThatRefersToItsOwnLevelIsRefused() {
    byte[] loop = SegmentCodec.encodeInner(Golden.STREAM, 2, 1, List.of(Golden.ROOT));
    assertThatThrownBy(() -> decode(loop, ref(1, 0, 4)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("level");
  }

  private static SegmentRef leafRef(long firstStep, long steps) {
    return ref(0, firstStep, steps);
  }

  private static SegmentRef ref(int level, long firstStep, long steps) {
    return new SegmentRef("segment/00/y", 1, 0, level, firstStep, steps, 8, 4, 1, 0, 0, null);
  }

  private static SegmentCodec.Content decode(byte[] bytes, SegmentRef ref) {
    return SegmentCodec.decode(ByteBuffer.wrap(bytes), ref, Golden.STREAM, "it");
  }
}
