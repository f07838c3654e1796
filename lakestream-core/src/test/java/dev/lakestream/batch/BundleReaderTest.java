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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.RequestLog;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Time;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BundleReaderTest {

  private static final UUID STREAM = new UUID(1, 2);
  private static final String OBJECT = "data/00/x.bundle";
  private static final Mesh MESH = new Mesh(2, 2);
  private static final int TGBS = 4;

  private final MemoryStore objects = new MemoryStore();
  private final FaultyStore store = new FaultyStore(objects, Time.SYSTEM);

  /** Slice r of TGB k has {@code length(k, r)} bytes, all of them 16 k + r. */
  private StagedBundle write(Lengths lengths) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", Compression.NONE);
    for (int k = 0; k < TGBS; k++) {
      List<Slice> slices = new ArrayList<>();
      for (int r = 0; r < MESH.slices(); r++) {
        byte[] bytes = new byte[lengths.of(k, r)];
        Arrays.fill(bytes, (byte) (16 * k + r));
        slices.add(Slice.of(bytes, k));
      }
      builder.add(GlobalBatch.of(MESH, slices));
    }
    return BundleFixtures.write(store, builder.build(OBJECT, Map.of()));
  }

  /** The bytes of each range that was asked for. */
  private List<Long> reads() {
    return store.log().requests().stream()
        .filter(request -> request.op() == Op.READ || request.op() == Op.READ_SUFFIX)
        .map(RequestLog.Request::down)
        .toList();
  }

  private interface Lengths {
    int of(int k, int r);
  }

  private BundleReader reader(StagedBundle staged) {
    return BundleReader.of(store, STREAM, staged);
  }

  private static void checkContent(RankSection section, int d, int c) {
    for (int k = section.fromTgb(); k < section.toTgb(); k++) {
      Slice slice = section.slice(k);
      assertThat(slice.records()).isEqualTo(k);
      while (slice.bytes().hasRemaining()) {
        assertThat(slice.bytes().get()).isEqualTo((byte) (16 * k + MESH.index(d, c)));
      }
    }
  }

  @Test
  void aRankNeedsOneRequestForAllStepsWhereSectionsAreEquallyLong() {
    BundleReader reader = reader(write((k, r) -> 100));
    RankSection section = reader.section(1, 0);
    assertThat(reads()).hasSize(1);
    checkContent(section, 1, 0);
  }

  @Test
  void aRankNeedsTheFooterAndOneRequestWhereSectionsDiffer() {
    BundleReader reader = reader(write((k, r) -> 100 * r + k));
    checkContent(reader.section(1, 1), 1, 1);
    assertThat(reads()).hasSize(2);
    checkContent(reader.section(0, 1), 0, 1);
    assertThat(reads()).as("the footer is read once").hasSize(3);
  }

  @Test
  void aPartOfTheStepsIsReadByTheTableAndOneRange() {
    StagedBundle staged = write((k, r) -> 100);
    RankSection part = Futures.await(reader(staged).read(0, 1, 1, 3));
    assertThat(reads()).containsExactly((long) BundleFormat.tableLength(TGBS), 208L);
    checkContent(part, 0, 1);
    assertThat(part.fromTgb()).isEqualTo(1);
    assertThat(part.toTgb()).isEqualTo(3);
    assertThatThrownBy(() -> part.slice(3)).isInstanceOf(IndexOutOfBoundsException.class);

    store.log().clear();
    checkContent(Futures.await(reader(staged).read(part.table(), 3, 4)), 0, 1);
    assertThat(reads()).as("the table is known").hasSize(1);
  }

  @Test
  void nothingIsReadForSlicesWithoutBytes() {
    StagedBundle staged = write((k, r) -> k == 2 ? 10 : 0);
    BundleReader reader = reader(staged);
    SectionTable table = Futures.await(reader.readTable(0, 0));
    store.log().clear();
    RankSection empty = Futures.await(reader.read(table, 0, 2));
    assertThat(empty.slice(0)).isEqualTo(Slice.of(new byte[0], 0));
    assertThat(empty.slice(1)).isEqualTo(Slice.of(new byte[0], 1));
    Futures.await(reader.read(table, 3, 4));
    Futures.await(reader.read(table, 1, 1));
    assertThat(reads()).isEmpty();
  }

  @Test
  void aBundleOfEmptySlicesIsRead() {
    StagedBundle staged = write((k, r) -> 0);
    checkContent(reader(staged).section(1, 1), 1, 1);
    BundleCheck.full(store, STREAM, staged);
  }

  @Test
  void aSectionThatIsTooLongForOneRequestIsReadInSeveral() {
    StagedBundle staged = write((k, r) -> 100);
    BundleReader reader = new BundleReader(store, STREAM, staged, 250);
    checkContent(reader.section(0, 1), 0, 1);
    assertThat(reads()).containsExactly((long) BundleFormat.tableLength(TGBS), 208L, 208L);
  }

  @Test
  void aSliceLongerThanTheLimitOfOneRequestIsReadAlone() {
    BundleReader reader = new BundleReader(store, STREAM, write((k, r) -> k == 1 ? 500 : 8), 250);
    checkContent(reader.section(1, 1), 1, 1);
    assertThat(reads()).hasSize(4);
  }

  @Test
  void aFooterThatCouldNotBeReadIsReadAgain() {
    BundleReader reader = reader(write((k, r) -> r));
    store.on(Op.READ).times(1).answer(Answer.serverError());
    assertThatThrownBy(() -> reader.section(0, 0))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.TRANSIENT));
    checkContent(reader.section(0, 0), 0, 0);
  }

  @Test
  void whoeverCancelsCancelsNobodyElse() {
    BundleReader reader = reader(write((k, r) -> r));
    CompletableFuture<BundleIndex> first = reader.index();
    first.cancel(true);
    assertThat(Futures.await(reader.index()).mesh()).isEqualTo(MESH);
  }

  @Test
  void aBundleThatIsGoneIsMissing() {
    StagedBundle staged = write((k, r) -> r);
    Futures.await(store.delete(OBJECT));
    assertThatThrownBy(() -> reader(staged).section(0, 0))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.MISSING));
    assertThatThrownBy(() -> Futures.await(BundleCheck.exists(store, STREAM, staged)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.MISSING));
  }

  @Test
  void existsIsOneRequest() {
    StagedBundle staged = write((k, r) -> 100 * r);
    Futures.await(BundleCheck.exists(store, STREAM, staged));
    assertThat(reads()).containsExactly(staged.footerLength() + 16L);
  }

  @Test
  void aBundleOfAnotherStreamIsRefused() {
    StagedBundle staged = write((k, r) -> r);
    UUID other = new UUID(3, 4);
    assertThatThrownBy(() -> BundleReader.of(store, other, staged).section(0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT)
        .hasMessageContaining(STREAM.toString())
        .hasMessageContaining(other.toString());
  }

  @Test
  void aDescriptorThatDoesNotFitTheObjectIsRefused() {
    StagedBundle s = write((k, r) -> r);
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
    assertThatThrownBy(() -> reader(described).section(0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT)
        .hasMessageContainingAll(parts);
    assertThatThrownBy(() -> Futures.await(BundleCheck.exists(store, STREAM, described)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(parts);
  }

  @Test
  void aReaderWithoutTheFooterStillSeesThatTheMeshOrCountIsAnother() {
    StagedBundle s = write((k, r) -> 100);
    assertThatThrownBy(
            () -> reader(with(s, 4, new Mesh(1, 4), s.records(), s.rawBytes())).section(0, 3))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(OBJECT, "(1, 1)", "(0, 3)");
    assertThatThrownBy(() -> reader(with(s, 3, MESH, s.records(), s.rawBytes())).section(0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(OBJECT, "of 4 batches", "of 3");
  }

  @Test
  void aDescriptorThatContradictsItselfIsRefusedBeforeAnythingIsRead() {
    StagedBundle s = write((k, r) -> 100);
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
      assertThatThrownBy(() -> reader(wrong))
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining(OBJECT);
    }
    assertThat(reads()).isEmpty();
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
    BundleReader reader = reader(write((k, r) -> r));
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
    StagedBundle staged = write((k, r) -> 100);
    byte[] object = objects.bytes(OBJECT);
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
      BundleFixtures.put(store, OBJECT, in.array());
      assertThatThrownBy(() -> reader(staged).section(0, 0).slice(1))
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
    StagedBundle staged = BundleFixtures.write(store, builder.build(OBJECT, Map.of()));
    byte[] object = objects.bytes(OBJECT);
    for (long raw : new long[] {4999, 5001, BundleFormat.MAX_SLICE_LENGTH}) {
      ByteBuffer in = ByteBuffer.wrap(object.clone()).order(ByteOrder.LITTLE_ENDIAN);
      in.putLong(8 + 16 + 16, raw);
      in.putInt(8, Frame.crc32c(in.slice(12, 12 + 40)));
      BundleFixtures.put(store, OBJECT, in.array());
      RankSection section = reader(staged).section(0, 0);
      assertThatThrownBy(() -> section.slice(0))
          .as("%s", raw)
          .isInstanceOf(CorruptObjectException.class)
          .hasMessageContaining(OBJECT);
    }
  }

  @Test
  void bytesThatChangeOnTheWayAreFound() {
    BundleReader reader = reader(write((k, r) -> 1000));
    store.on(Op.READ).answer(Answer.corrupted());
    RankSection section = reader.section(0, 0);
    assertThatThrownBy(() -> checkContent(section, 0, 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void damageThatWasFoundAheadIsReportedWhereItIsRead() {
    BundleReader reader = reader(write((k, r) -> 1000));
    store
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
    RankSection section = reader.section(0, 0).verify(0, TGBS);
    for (int k = 0; k < TGBS - 1; k++) {
      assertThat(section.slice(k).records()).isEqualTo(k);
    }
    assertThatThrownBy(() -> section.slice(TGBS - 1))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void aNewerVersionIsSaidToBeNewer() {
    StagedBundle staged = write((k, r) -> r);
    byte[] object = objects.bytes(OBJECT);
    object[object.length - 8] = 2;
    object[4] = 2;
    BundleFixtures.put(store, OBJECT, object);
    assertThatThrownBy(() -> Futures.await(BundleCheck.exists(store, STREAM, staged)))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContainingAll(OBJECT, "version 2");
    assertThatThrownBy(() -> Futures.await(BundleReader.open(store, OBJECT)))
        .isInstanceOf(UnsupportedVersionException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void aForeignObjectIsSaidToBeForeign() {
    BundleFixtures.put(
        store,
        OBJECT,
        "PAR1 this is something else altogether PAR1".getBytes(StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> Futures.await(BundleReader.open(store, OBJECT)))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContainingAll(OBJECT, "LKSB");
  }

  @Test
  void anObjectIsOpenedByItsNameInOneRequest() {
    StagedBundle staged = write((k, r) -> 10 * r);
    BundleReader reader = Futures.await(BundleReader.open(store, OBJECT));
    BundleIndex index = Futures.await(reader.index());
    assertThat(reads()).hasSize(1);
    assertThat(reader.bundle()).isEqualTo(staged);
    assertThat(index.streamId()).isEqualTo(STREAM);
    assertThat(index.sliceFormat()).isEqualTo("raw");
    assertThat(index.tgbs()).hasSize(TGBS);
    checkContent(reader.section(1, 1), 1, 1);
  }
}
