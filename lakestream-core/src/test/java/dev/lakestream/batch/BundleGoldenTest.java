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
package dev.lakestream.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.BundleBuilder.Bundle;
import dev.lakestream.store.MemoryStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The bytes of format version 1, for ever. {@code docs/format.md} explains the first object byte by
 * byte. If one of these tests fails, bundles that people have written became unreadable: raise the
 * version instead.
 */
class BundleGoldenTest {

  private static final UUID STREAM = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
  private static final String OBJECT = "data/00/x.bundle";
  private static final Mesh MESH = new Mesh(2, 1);

  private static final String PLAIN =
      ("4c4b5342 01000000" // "LKSB", version 1
              // Section 0, slice (0, 0): CRC32C, d, c, K
              + "714473b9 00000000 00000000 02000000"
              // TGB 0: offset 96, stored 3, raw 3, 1 record, CRC32C, no compression
              + "6000000000000000 0300000000000000 0300000000000000 01000000 b73f4b36"
              + "0000000000000000"
              // TGB 1: offset 104, stored 8, raw 8, 2 records
              + "6800000000000000 0800000000000000 0800000000000000 02000000 08e948a5"
              + "0000000000000000"
              + "616263 0000000000" // "abc" and padding
              + "6465666768696a6b" // "defghijk"
              // Section 1, slice (1, 0)
              + "831114a4 01000000 00000000 02000000"
              // TGB 0: an empty slice
              + "6000000000000000 0000000000000000 0000000000000000 00000000 00000000"
              + "0000000000000000"
              // TGB 1: offset 96 as well
              + "6000000000000000 0100000000000000 0100000000000000 01000000 642f0748"
              + "0000000000000000"
              + "7a 00000000000000" // "z" and padding
              // The footer: stream id, mesh, K, lengths of the sections, the two TGBs, slice format
              + "0a10 00112233445566778899aabbccddeeff"
              + "1204 0802 1001"
              + "1802"
              + "2202 70 68"
              + "2a14 0801 1003 1a06 08e807 10d00f 2206 0a016b 120176"
              + "2a04 0803 1009"
              + "3203 726177"
              + "3f000000 ae20acb0 01000000 4c4b5342") // 63 bytes, CRC32C, version 1, "LKSB"
          .replace(" ", "");

  private static final String ZSTD =
      ("4c4b534201000000887253f10000000000000000020000006000000000000000"
          + "1400000000000000c80000000000000003000000588a3ebb0100000000000000"
          + "7800000000000000030000000000000003000000000000000100000085682325"
          + "000000000000000028b52ffd20c85d0000206c616b650100c129470400000000"
          + "78797a00000000000a1000112233445566778899aabbccddeeff120408011001"
          + "1802220280012a05080310c8012a04080110033203726177300000001e343fce"
          + "010000004c4b5342");

  private static final String LZ4 =
      ("4c4b534201000000f054ea120000000000000000020000006000000000000000"
          + "0e00000000000000c80000000000000003000000e398cfcf0200000000000000"
          + "7000000000000000030000000000000003000000000000000100000085682325"
          + "00000000000000004f6c616b650400ac50656c616b65000078797a0000000000"
          + "0a1000112233445566778899aabbccddeeff12040801100118022201782a0508"
          + "0310c8012a040801100332037261772f0000007f88fa5d010000004c4b5342");

  private static Slice slice(String text, int records) {
    return Slice.of(text.getBytes(StandardCharsets.UTF_8), records);
  }

  private static List<GlobalBatch> plain() {
    return List.of(
        new GlobalBatch(
            MESH,
            List.of(slice("abc", 1), slice("", 0)),
            new EventTimeRange(1000, 2000),
            Map.of("k", "v")),
        GlobalBatch.of(MESH, List.of(slice("defghijk", 2), slice("z", 1))));
  }

  private static List<GlobalBatch> compressible() {
    return List.of(
        GlobalBatch.of(new Mesh(1, 1), List.of(slice("lake".repeat(50), 3))),
        GlobalBatch.of(new Mesh(1, 1), List.of(slice("xyz", 1))));
  }

  private static Bundle build(Compression compression, List<GlobalBatch> batches) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", compression);
    batches.forEach(builder::add);
    return builder.build(OBJECT, Map.of());
  }

  @Test
  void theWriterWritesTheseBytes() {
    Bundle bundle = build(Compression.NONE, plain());
    assertThat(HexFormat.of().formatHex(BundleFixtures.bytes(bundle.payload()))).isEqualTo(PLAIN);
    assertThat(bundle.staged())
        .isEqualTo(new StagedBundle(OBJECT, 303, 224, 63, 2, MESH, 4, 12, null, 0, Map.of()));
  }

  @Test
  void theReaderReadsTheseBytes() {
    checkRead(PLAIN, plain());
    checkRead(ZSTD, compressible());
    checkRead(LZ4, compressible());
  }

  private static void checkRead(String hex, List<GlobalBatch> batches) {
    MemoryStore store = new MemoryStore();
    BundleFixtures.put(store, OBJECT, HexFormat.of().parseHex(hex));
    StagedBundle found = BundleCheck.full(store, OBJECT);
    BundleReader reader = BundleReader.of(store, STREAM, found);
    assertThat(found.tgbCount()).isEqualTo(batches.size());
    Mesh mesh = batches.get(0).mesh();
    for (int r = 0; r < mesh.slices(); r++) {
      RankSection section = reader.section(r / mesh.cp(), r % mesh.cp());
      for (int k = 0; k < batches.size(); k++) {
        assertThat(section.slice(k)).isEqualTo(batches.get(k).slices().get(r));
      }
    }
  }

  /**
   * Compressed bytes may change with the libraries; that they say how they are compressed may not.
   */
  @Test
  void compressedSlicesStateTheirCompression() {
    int compression = 8 + 16 + 32;
    byte[] zstd = BundleFixtures.bytes(build(Compression.ZSTD, compressible()).payload());
    assertThat(zstd[compression]).isEqualTo((byte) 1);
    byte[] lz4 = BundleFixtures.bytes(build(Compression.LZ4, compressible()).payload());
    assertThat(lz4[compression]).isEqualTo((byte) 2);
    assertThat(lz4[compression + BundleFormat.ENTRY_LENGTH]).isEqualTo((byte) 0);
  }

  /** A second reader of the same bytes, from the specification alone and with nothing of ours. */
  @Test
  void theBytesAreWhatTheSpecificationSays() {
    byte[] object = HexFormat.of().parseHex(PLAIN);
    ByteBuffer in = ByteBuffer.wrap(object).order(ByteOrder.LITTLE_ENDIAN);
    int trailer = object.length - 16;
    int footerLength = in.getInt(trailer);
    assertThat(in.getInt(trailer + 4)).isEqualTo(crc(object, trailer - footerLength, trailer));
    long[] lengths = {0x70, 0x68}; // Field 4 of the footer.
    String[][] expected = {{"abc", "defghijk"}, {"", "z"}};
    int section = 8;
    for (int r = 0; r < 2; r++) {
      int k = in.getInt(section + 12);
      assertThat(k).isEqualTo(2);
      assertThat(in.getInt(section + 4)).isEqualTo(r);
      assertThat(in.getInt(section + 8)).isZero();
      assertThat(in.getInt(section)).isEqualTo(crc(object, section + 4, section + 16 + 40 * k));
      for (int tgb = 0; tgb < k; tgb++) {
        int entry = section + 16 + 40 * tgb;
        int from = section + (int) in.getLong(entry);
        int to = from + (int) in.getLong(entry + 8);
        assertThat(in.getInt(entry + 28)).isEqualTo(crc(object, from, to));
        assertThat(from % 8).isZero();
        assertThat(new String(Arrays.copyOfRange(object, from, to), StandardCharsets.UTF_8))
            .isEqualTo(expected[r][tgb]);
      }
      section += (int) lengths[r];
    }
    assertThat(section).isEqualTo(trailer - footerLength);
  }

  private static int crc(byte[] bytes, int from, int to) {
    int crc = -1;
    for (int i = from; i < to; i++) {
      crc ^= bytes[i] & 0xff;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc >>> 1) ^ ((crc & 1) == 0 ? 0 : 0x82f63b78);
      }
    }
    return ~crc;
  }
}
