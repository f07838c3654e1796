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
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What holds for the check of a section that arrives, however it is cut. */
class ArrivalCheckProperties {

  private static final UUID STREAM = new UUID(1, 2);
  private static final String OBJECT = "data/00/x.bundle";

  private final MemoryStore store = new MemoryStore();
  private BundleReader reader;
  private BundleReader.Place place;
  private SectionTable table;
  private byte[] section;

  @Property(tries = 200)
  void aSectionThatIsWholeIsFoundToBe(
      @ForAll @IntRange(min = 1, max = 12) int tgbs,
      @ForAll @IntRange(max = 300) int longest,
      @ForAll Compression compression,
      @ForAll long seed) {
    Random random = new Random(seed);
    write(tgbs, longest, compression, random);
    ArrivalCheck check = reader.arrivalCheck(place);
    send(check, section, random);
    assertThat(withBytes(check.whole())).isEqualTo(withBytes(all(0, tgbs)));
    assertThat(check.table()).isNotNull();

    int from = random.nextInt(tgbs);
    int to = from + 1 + random.nextInt(tgbs - from);
    int offset = (int) table.entry(from).offset();
    ArrivalCheck part = ArrivalCheck.ofPart(table, from, to, offset);
    byte[] bytes = Arrays.copyOfRange(section, offset, section.length);
    send(part, bytes, random);
    assertThat(withBytes(part.whole())).isEqualTo(withBytes(all(from, to)));
  }

  @Property(tries = 200)
  void aSliceThatIsDamagedIsNotTakenForWholeAndTheOthersAre(
      @ForAll @IntRange(min = 1, max = 12) int tgbs,
      @ForAll Compression compression,
      @ForAll long seed) {
    Random random = new Random(seed);
    write(tgbs, 300, compression, random);
    int tgb = random.nextInt(tgbs);
    BundleFormat.Entry entry = table.entry(tgb);
    if (entry.storedLength() == 0) {
      return;
    }
    section[(int) (entry.offset() + random.nextInt((int) entry.storedLength()))] ^= 4;
    ArrivalCheck check = reader.arrivalCheck(place);
    send(check, section, random);
    BitSet others = all(0, tgbs);
    others.clear(tgb);
    assertThat(withBytes(check.whole())).isEqualTo(withBytes(others));
    RankSection found = reader.section(place, ByteBuffer.wrap(section), check);
    assertThatThrownBy(() -> found.slice(tgb))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT);
  }

  @Property(tries = 100)
  void aDamagedTableIsLeftToBeReported(@ForAll long seed) {
    Random random = new Random(seed);
    write(3, 300, Compression.NONE, random);
    section[random.nextInt(BundleFormat.tableLength(3))] ^= 1;
    ArrivalCheck check = reader.arrivalCheck(place);
    send(check, section, random);
    assertThat(check.table()).isNull();
    assertThat(check.whole().isEmpty()).isTrue();
    assertThatThrownBy(() -> reader.section(place, ByteBuffer.wrap(section), check))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(OBJECT);
  }

  @Property(tries = 100)
  void severalSectionsByOneRequestAreFoundWholeWithAndWithoutAStride(
      @ForAll boolean equallyLong, @ForAll long seed) {
    Random random = new Random(seed);
    Mesh mesh = new Mesh(3, 2);
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", Compression.NONE);
    for (int k = 0; k < 4; k++) {
      List<Slice> slices = new ArrayList<>();
      for (int r = 0; r < mesh.slices(); r++) {
        slices.add(slice(equallyLong ? 100 : 1 + random.nextInt(200), random));
      }
      builder.add(GlobalBatch.of(mesh, slices));
    }
    StagedBundle staged = BundleFixtures.write(store, builder.build(OBJECT, Map.of()));
    BundleReader bundle = BundleReader.of(store, STREAM, staged);
    BundleScan.Whole whole = Futures.await(new BundleScan(store, bundle).readAll());
    List<RankSection> some =
        Futures.await(new BundleScan(store, bundle).read(whole.index(), 1, 5, 1 << 20));
    // What was found whole when it arrived is not looked at again.
    assertThat(some).hasSize(4).allMatch(section -> section.isWhole(0, 4));
    assertThat(whole.sections()).allMatch(section -> section.isWhole(0, 4));
  }

  private void write(int tgbs, int longest, Compression compression, Random random) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", compression);
    for (int k = 0; k < tgbs; k++) {
      int length = random.nextInt(4) == 0 ? 0 : random.nextInt(longest + 1);
      builder.add(GlobalBatch.of(new Mesh(1, 1), List.of(slice(length, random))));
    }
    StagedBundle staged = BundleFixtures.write(store, builder.build(OBJECT, Map.of()));
    reader = BundleReader.of(store, STREAM, staged);
    place = reader.place(Futures.await(reader.index()), 0);
    table = Futures.await(reader.readTable(0, 0));
    section =
        Arrays.copyOfRange(
            store.bytes(OBJECT), (int) place.offset(), (int) (place.offset() + place.length()));
  }

  private static Slice slice(int length, Random random) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Slice.of(bytes, 1);
  }

  private static void send(ArrivalCheck check, byte[] bytes, Random random) {
    for (int at = 0; at < bytes.length; ) {
      int length = Math.min(bytes.length - at, 1 + random.nextInt(100));
      check.received(ByteBuffer.wrap(bytes, at, length));
      at += length;
    }
  }

  private static BitSet all(int from, int to) {
    BitSet all = new BitSet();
    all.set(from, to);
    return all;
  }

  /** Without slices that have no bytes: nothing arrives of those at the end. */
  private BitSet withBytes(BitSet tgbs) {
    BitSet some = (BitSet) tgbs.clone();
    tgbs.stream().filter(k -> table.storedBytes(k) == 0).forEach(some::clear);
    return some;
  }
}
