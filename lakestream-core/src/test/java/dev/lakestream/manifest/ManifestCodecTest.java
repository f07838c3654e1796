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

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ManifestCodecTest {

  /** Annotated by a reader of the wire format that knows nothing of this code. */
  private static final byte[] GOLDEN =
      Golden.bytes(
          """
          4c4b534d  # magic LKSM
          01000000  # format version
          0a100102030405060708090a0b0c0d0e0f10  # stream_id
          1002  # version 2
          1a1032323232323232323232323232323232  # commit_id
          2001  # parent_version 1
          2a1031313131313131313131313131313131  # parent_commit_id
          30e907  # created_at 1001
          3801  # first_step 1
          4002  # first_row 2
          4806  # next_step 6
          500c  # next_row 12
          5a2b  # sealed, 43 bytes
            0a147365676d656e742f30302f782e7365676d656e74  # object "segment/00/x.segment"
            10f403  # object_length 500
            1d04030201  # object_crc 0x01020304
            2001  # level 1
            3004  # step_count 4
            4008  # row_count 8
            4802  # bundles 2
            500a  # records 10
            58ac02  # raw_bytes 300
          6249  # tail, 73 bytes
            0a10646174612f30302f782e62756e646c65  # object "data/00/x.bundle"
            10a802  # object_length 296
            18c801  # footer_offset 200
            2050  # footer_length 80
            2804  # first_step 4
            3002  # tgb_count 2
            3808  # first_row 8
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
          6a61  # producers, 97 bytes
            0a0170  # producer_id "p"
            122a  # owners, 42 bytes
              0a1021212121212121212121212121212121  # owner_id
              121021212121212121212121212121212121  # lineage_id
              1a016a  # job_name "j"
              20e707  # taken_over_at 999
            1a2d  # lineages, 45 bytes
              0a1021212121212121212121212121212121  # lineage_id
              1003  # sequence 3
              1a1021212121212121212121212121212121  # published_by
              2002  # last_commit_version 2
              2a0140  # position
              3006  # next_step 6
            20e907  # updated_at 1001
          700f  # total_records 15
          78c203  # total_raw_bytes 450
          820106617070656e64  # operation "append"
            0802  # version 2
            121032323232323232323232323232323232  # commit_id
            1a1031313131313131313131313131313131  # parent_commit_id
            20e907  # created_at 1001
            2801  # first_step 1
            3002  # first_row 2
            3806  # next_step 6
            400c  # next_row 12
            4a49  # appended, 73 bytes
              0a10646174612f30302f782e62756e646c65  # object "data/00/x.bundle"
              10a802  # object_length 296
              18c801  # footer_offset 200
              2050  # footer_length 80
              2804  # first_step 4
              3002  # tgb_count 2
              3808  # first_row 8
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
            6004  # tail_first_step 4
            6a61  # producers, 97 bytes
              0a0170  # producer_id "p"
              122a  # owners, 42 bytes
                0a1021212121212121212121212121212121  # owner_id
                121021212121212121212121212121212121  # lineage_id
                1a016a  # job_name "j"
                20e707  # taken_over_at 999
              1a2d  # lineages, 45 bytes
                0a1021212121212121212121212121212121  # lineage_id
                1003  # sequence 3
                1a1021212121212121212121212121212121  # published_by
                2002  # last_commit_version 2
                2a0140  # position
                3006  # next_step 6
              20e907  # updated_at 1001
            780f  # total_records 15
            8001c203  # total_raw_bytes 450
            8a0106617070656e64  # operation "append"
          2e010000  # manifest length 302
          f0000000  # delta length 240
          d36347f5  # CRC32C of the header and the manifest
          436cd902  # CRC32C of the delta
          05fe382f  # CRC32C of the 16 bytes before
          01000000  # format version
          4c4b534d  # magic
          """);

  @Test
  void theBytesAreAsWrittenDown() {
    assertThat(ManifestCodec.encode(Golden.CHILD, Optional.of(Golden.PARENT))).isEqualTo(GOLDEN);
  }

  @Test
  void theWrittenBytesAreRead() {
    assertThat(ManifestCodec.decode(ByteBuffer.wrap(GOLDEN), "it")).isEqualTo(Golden.CHILD);
  }

  @Test
  void whoKnowsTheParentReadsASuffix() {
    for (int length = 28; length <= GOLDEN.length; length++) {
      Optional<ManifestDelta> delta = ManifestCodec.decodeDelta(suffix(length), "it");
      if (length < 28 + 240) {
        assertThat(delta).as("a suffix of %s bytes", length).isEmpty();
      } else {
        assertThat(delta.orElseThrow().applyTo(Golden.PARENT)).isEqualTo(Golden.CHILD);
      }
    }
    assertThatThrownBy(() -> ManifestCodec.decodeDelta(suffix(27), "it"))
        .isInstanceOf(CorruptObjectException.class);
  }

  @Test
  void everyFlippedBitIsFound() {
    for (int bit = 0; bit < GOLDEN.length * 8; bit++) {
      byte[] flipped = GOLDEN.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThatThrownBy(() -> ManifestCodec.decode(ByteBuffer.wrap(flipped), "Manifest 2 of x"))
          .as("bit %s", bit)
          .isInstanceOfAny(CorruptObjectException.class, UnsupportedVersionException.class)
          .hasMessageContaining("Manifest 2 of x");
    }
  }

  @Test
  void everyFlippedBitOfASuffixIsFound() {
    int from = GOLDEN.length - 28 - 240;
    for (int bit = from * 8; bit < GOLDEN.length * 8; bit++) {
      byte[] flipped = GOLDEN.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      ByteBuffer suffix = ByteBuffer.wrap(flipped, from, flipped.length - from);
      assertThatThrownBy(
              () -> ManifestCodec.decodeDelta(suffix, "it").orElseThrow(AssertionError::new))
          .as("bit %s", bit)
          .isInstanceOfAny(CorruptObjectException.class, UnsupportedVersionException.class);
    }
  }

  @Test
  void everyTruncationIsFound() {
    for (int length = 0; length < GOLDEN.length; length++) {
      ByteBuffer beginning = ByteBuffer.wrap(Arrays.copyOf(GOLDEN, length));
      assertThatThrownBy(() -> ManifestCodec.decode(beginning, "it"))
          .isInstanceOf(CorruptObjectException.class);
      ByteBuffer end = suffix(length);
      assertThatThrownBy(() -> ManifestCodec.decode(end, "it"))
          .isInstanceOf(CorruptObjectException.class);
    }
  }

  @Test
  void bytesBehindTheEndAreFound() {
    assertThatThrownBy(
            () -> ManifestCodec.decode(ByteBuffer.wrap(Arrays.copyOf(GOLDEN, 700)), "it"))
        .isInstanceOf(CorruptObjectException.class);
  }

  @Test
  void aNewerFormatIsRefusedByName() {
    byte[] newer = GOLDEN.clone();
    newer[newer.length - 8] = 2;
    assertThatThrownBy(() -> ManifestCodec.decode(ByteBuffer.wrap(newer), "Manifest 2"))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining("version 2")
        .hasMessageContaining("up to 1");
  }

  @Test
  void lengthsThatCannotBeAreRefusedEvenIfTheirChecksumIsRight() {
    for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, -300}) {
      for (int field = 0; field < 2; field++) {
        byte[] forged = GOLDEN.clone();
        ByteBuffer bytes = ByteBuffer.wrap(forged).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        int trailer = forged.length - 28;
        bytes.putInt(trailer + 4 * field, length);
        bytes.putInt(trailer + 16, dev.lakestream.format.Frame.crc32c(forged, trailer, 16));
        assertThatThrownBy(() -> ManifestCodec.decode(ByteBuffer.wrap(forged), "it"))
            .isInstanceOf(CorruptObjectException.class);
        if (field == 1 && length < 0) {
          assertThatThrownBy(() -> ManifestCodec.decodeDelta(ByteBuffer.wrap(forged), "it"))
              .isInstanceOf(CorruptObjectException.class);
        }
      }
    }
  }

  private static ByteBuffer suffix(int length) {
    return ByteBuffer.wrap(GOLDEN, GOLDEN.length - length, length);
  }
}
