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

import static dev.lakestream.batch.WrittenBundle.MESH;
import static dev.lakestream.batch.WrittenBundle.OBJECT;
import static dev.lakestream.batch.WrittenBundle.STREAM;
import static dev.lakestream.batch.WrittenBundle.TGBS;
import static dev.lakestream.batch.WrittenBundle.checkContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is not the bundle that its descriptor promises, and how a reader says so. */
class BundleReaderRefusalTest {

  private final WrittenBundle bundle = new WrittenBundle();

  @Test
  void aBundleThatIsGoneIsMissing() {
    StagedBundle staged = bundle.write((k, r) -> r);
    Futures.await(bundle.store.delete(OBJECT));
    assertThatThrownBy(() -> bundle.reader(staged).section(0, 0))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.MISSING));
    assertThatThrownBy(() -> Futures.await(BundleCheck.exists(bundle.store, STREAM, staged)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.MISSING));
  }

  @Test
  void aBundleOfAnotherStreamIsRefused() {
    StagedBundle staged = bundle.write((k, r) -> r);
    UUID other = new UUID(3, 4);
    assertThatThrownBy(() -> BundleReader.of(bundle.store, other, staged).section(0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT)
        .hasMessageContaining(STREAM.toString())
        .hasMessageContaining(other.toString());
  }

  @Test
  void aDescriptorThatDoesNotFitTheObjectIsRefused() {
    StagedBundle s = bundle.write((k, r) -> r);
    refused(with(s, 4, new Mesh(4, 1), s.records(), s.rawBytes()), "mesh", "2x2", "4x1");
    refused(with(s, 3, MESH, s.records(), s.rawBytes()), "number of batches", "4", "3");
    refused(with(s, 4, MESH, 7, s.rawBytes()), "records", "24", "7");
    refused(with(s, 4, MESH, s.records(), 9), "raw bytes", "24", "9");
  }

  private static StagedBundle with(
      StagedBundle s, int tgbs, Mesh mesh, long records, long rawBytes) {
    return new StagedBundle(
        s.object(),
        s.objectLength(),
        s.footerOffset(),
        s.footerLength(),
        tgbs,
        mesh,
        records,
        rawBytes,
        s.eventTime(),
        s.sectionStride(),
        s.attributes());
  }

  private void refused(StagedBundle described, String... parts) {
    assertThatThrownBy(() -> bundle.reader(described).section(0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT)
        .hasMessageContainingAll(parts);
    assertThatThrownBy(() -> Futures.await(BundleCheck.exists(bundle.store, STREAM, described)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void aReaderWithoutTheFooterStillSeesThatTheMeshOrCountIsAnother() {
    StagedBundle s = bundle.write((k, r) -> 100);
    assertThatThrownBy(
            () ->
                bundle.reader(with(s, 4, new Mesh(1, 4), s.records(), s.rawBytes())).section(0, 3))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(OBJECT, "(1, 1)", "(0, 3)");
    assertThatThrownBy(
            () -> bundle.reader(with(s, 3, MESH, s.records(), s.rawBytes())).section(0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(OBJECT, "of 4 batches", "of 3");
  }

  @Test
  void aDescriptorThatContradictsItselfIsRefusedBeforeAnythingIsRead() {
    StagedBundle s = bundle.write((k, r) -> 100);
    for (StagedBundle wrong :
        List.of(
            sized(s, s.objectLength() + 1, s.footerOffset(), s.footerLength(), 0),
            sized(s, s.objectLength(), -5, s.footerLength(), 0),
            sized(s, Long.MIN_VALUE, s.footerOffset(), s.footerLength(), 0),
            sized(s, s.objectLength(), s.footerOffset(), -1, 0),
            sized(s, 1L << 40, (1L << 40) - 16 - (1 << 30), 1 << 30, 0),
            sized(s, s.objectLength(), s.footerOffset(), s.footerLength(), 99),
            sized(s, s.objectLength(), s.footerOffset(), s.footerLength(), Long.MAX_VALUE),
            with(s, 0, MESH, 0, 0),
            with(s, -1, MESH, 0, 0),
            with(s, 1 << 17, MESH, 0, 0),
            with(s, 1 << 16, MESH, 0, 0))) {
      assertThatThrownBy(() -> bundle.reader(wrong))
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining(OBJECT);
    }
    assertThat(bundle.reads()).isEmpty();
  }

  private static StagedBundle sized(
      StagedBundle s, long objectLength, long footerOffset, int footerLength, long stride) {
    return new StagedBundle(
        s.object(),
        objectLength,
        footerOffset,
        footerLength,
        s.tgbCount(),
        s.mesh(),
        s.records(),
        s.rawBytes(),
        s.eventTime(),
        stride,
        s.attributes());
  }

  @Test
  void aSliceThatIsNotInTheMeshIsRefused() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> r));
    assertThatThrownBy(() -> reader.readSection(2, 0))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContainingAll("(2, 0)", "2x2");
    assertThatThrownBy(() -> reader.read(0, 0, 2, 5))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessageContainingAll(OBJECT, "0 to 4");
  }

  /** Entries that no writer of ours makes, behind a CRC that is right. */
  @Test
  void anEntryThatLeavesItsSectionIsRefusedBeforeItIsRead() {
    StagedBundle staged = bundle.write((k, r) -> 100);
    byte[] object = bundle.objects.bytes(OBJECT);
    long[][] changes = { // Field of the entry, and what it says.
      {0, 0}, {0, 1L << 40}, {0, -8}, {0, Long.MAX_VALUE},
      {8, 1L << 40}, {8, -1}, {8, Long.MAX_VALUE}, {8, 2000},
      {16, 1L << 40}, {16, -1}, {16, 99}, {16, 101},
      {32, 1}, {32, 2}, {32, 3}, {32, 255},
    };
    for (long[] change : changes) {
      ByteBuffer in = ByteBuffer.wrap(object.clone()).order(ByteOrder.LITTLE_ENDIAN);
      in.putLong(8 + 16 + 40 + (int) change[0], change[1]);
      in.putInt(8, Frame.crc32c(in.slice(12, 12 + 40 * TGBS)));
      BundleFixtures.put(bundle.store, OBJECT, in.array());
      assertThatThrownBy(() -> bundle.reader(staged).section(0, 0).slice(1))
          .as("%s at %s", change[1], change[0])
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining(OBJECT);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"ZSTD", "LZ4"})
  void aRawLengthThatIsNotTrueIsRefused(Compression compression) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", compression);
    builder.add(GlobalBatch.of(new Mesh(1, 1), List.of(Slice.of(new byte[5000], 1))));
    StagedBundle staged = BundleFixtures.write(bundle.store, builder.build(OBJECT, Map.of()));
    byte[] object = bundle.objects.bytes(OBJECT);
    for (long raw : new long[] {4999, 5001, BundleFormat.MAX_SLICE_LENGTH}) {
      ByteBuffer in = ByteBuffer.wrap(object.clone()).order(ByteOrder.LITTLE_ENDIAN);
      in.putLong(8 + 16 + 16, raw);
      in.putInt(8, Frame.crc32c(in.slice(12, 12 + 40)));
      BundleFixtures.put(bundle.store, OBJECT, in.array());
      RankSection section = bundle.reader(staged).section(0, 0);
      assertThatThrownBy(() -> section.slice(0))
          .as("%s", raw)
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining(OBJECT);
    }
  }

  @Test
  void bytesThatChangeOnTheWayAreFound() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> 1000));
    bundle.store.on(Op.READ).answer(Answer.corrupted());
    RankSection section = reader.section(0, 0);
    assertThatThrownBy(() -> checkContent(section, 0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void damageThatWasSeenAtArrivalIsReportedWhereItIsRead() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> 1000));
    bundle
        .store
        .on(Op.READ)
        .answer(
            request ->
                request
                    .proceed()
                    .thenApply(
                        bytes -> {
                          ByteBuffer changed = (ByteBuffer) bytes;
                          int last = BundleFormat.tableLength(TGBS) + TGBS * 1000 - 1;
                          return changed.put(last, (byte) ~changed.get(last));
                        }));
    RankSection section = reader.section(0, 0);
    for (int k = 0; k < TGBS - 1; k++) {
      assertThat(section.slice(k).records()).isEqualTo(k);
    }
    assertThatThrownBy(() -> section.slice(TGBS - 1))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void aNewerVersionIsSaidToBeNewer() {
    StagedBundle staged = bundle.write((k, r) -> r);
    byte[] object = bundle.objects.bytes(OBJECT);
    object[object.length - 8] = 2;
    object[4] = 2;
    BundleFixtures.put(bundle.store, OBJECT, object);
    assertThatThrownBy(() -> Futures.await(BundleCheck.exists(bundle.store, STREAM, staged)))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContainingAll(OBJECT, "version 2");
    assertThatThrownBy(() -> Futures.await(BundleReader.open(bundle.store, OBJECT)))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void aForeignObjectIsSaidToBeForeign() {
    BundleFixtures.put(
        bundle.store,
        OBJECT,
        "PAR1 this is something else altogether PAR1".getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> Futures.await(BundleReader.open(bundle.store, OBJECT)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(OBJECT, "LKSB");
  }
}
