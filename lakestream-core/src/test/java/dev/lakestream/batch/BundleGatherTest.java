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

import dev.lakestream.batch.BundleGather.Places;
import dev.lakestream.batch.BundleGather.Wanted;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BundleGatherTest {

  private static final UUID STREAM = new UUID(1, 2);
  private static final Mesh MESH = new Mesh(3, 2);
  private static final int TGBS = 5;

  private final FaultyStore store = FaultyStore.inMemory();

  private BundleGather gather(int length, boolean even) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", Compression.NONE);
    for (int k = 0; k < TGBS; k++) {
      List<Slice> slices = new ArrayList<>();
      for (int r = 0; r < MESH.slices(); r++) {
        slices.add(
            Slice.of(bytes(k, r, even ? length : length * ((k + r) % 3)), 1 + (even ? 0 : r)));
      }
      builder.add(GlobalBatch.of(MESH, slices));
    }
    StagedBundle staged = BundleFixtures.write(store, builder.build("data/00/b", Map.of()));
    store.log().clear();
    return new BundleGather(store, BundleReader.of(store, STREAM, staged));
  }

  private static byte[] bytes(int k, int r, int length) {
    byte[] bytes = new byte[length];
    new Random(31L * k + r).nextBytes(bytes);
    return bytes;
  }

  @Test
  void neighbouringSectionsAreOneRequestAndOthersAreOneEach() {
    BundleGather gather = gather(50_000, true);
    Places neighbours = Futures.await(gather.places(List.of(2, 3, 4)));
    var read = Futures.await(gather.whole(neighbours));
    assertThat(store.log().count()).isEqualTo(1);
    for (int r : List.of(2, 3, 4)) {
      assertThat(read.get(r).slice(3).bytes()).isEqualTo(ByteBuffer.wrap(bytes(3, r, 50_000)));
    }
    store.log().clear();
    Futures.await(gather.whole(Futures.await(gather.places(List.of(0, 2, 5)))));
    assertThat(store.log().count()).isEqualTo(3);
    assertThat(store.log().bytesDown("")).isLessThan(3 * TGBS * 50_000 + 3 * 1000);
  }

  @Test
  void anySlicesOfAnySectionsAreReadByTheirTables() {
    for (boolean even : new boolean[] {true, false}) {
      BundleGather gather = gather(30_000, even);
      Places places = Futures.await(gather.places(List.of(0, 1, 4)));
      var tables = Futures.await(gather.tables(places));
      List<Wanted> wanted =
          List.of(new Wanted(0, 1), new Wanted(1, 4), new Wanted(4, 0), new Wanted(4, 1));
      store.log().clear();
      var read = Futures.await(gather.read(places, tables, wanted));
      for (Wanted one : wanted) {
        int length = even ? 30_000 : 30_000 * ((one.tgb() + one.section()) % 3);
        assertThat(read.get(one.section()).slice(one.tgb()).bytes())
            .isEqualTo(ByteBuffer.wrap(bytes(one.tgb(), one.section(), length)));
      }
      assertThat(store.log().count(Op.READ)).isBetween(2L, 4L);
    }
  }

  @Test
  void slicesWithoutBytesMakeNoRequest() {
    BundleGather gather = gather(30_000, false);
    Places places = Futures.await(gather.places(List.of(0, 1)));
    var tables = Futures.await(gather.tables(places));
    store.log().clear();
    var read =
        Futures.await(
            gather.read(
                places, tables, List.of(new Wanted(0, 0), new Wanted(0, 3), new Wanted(1, 2))));
    assertThat(store.log().count()).isZero();
    assertThat(read.get(0).slice(3).bytes().remaining()).isZero();
    assertThat(Futures.await(gather.read(places, tables, List.of()))).isEmpty();
    assertThat(store.log().count()).isZero();
  }

  @Test
  void theFooterTellsHowManyRecordsEverySliceHoldsWhereTheyAgree() {
    BundleIndex even = Futures.await(gather(10, true).index());
    assertThat(even.tgbs()).allMatch(tgb -> tgb.uniformSliceRecords().equals(OptionalInt.of(1)));
    BundleIndex uneven = Futures.await(gather(10, false).index());
    assertThat(uneven.tgbs()).allMatch(tgb -> tgb.uniformSliceRecords().isEmpty());
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", Compression.NONE);
    Slice none = Slice.of(new byte[0], 0);
    builder.add(GlobalBatch.of(new Mesh(2, 1), List.of(none, none)));
    StagedBundle staged = BundleFixtures.write(store, builder.build("data/00/e", Map.of()));
    assertThat(
            Futures.await(BundleReader.of(store, STREAM, staged).index())
                .tgbs()
                .get(0)
                .uniformSliceRecords())
        .hasValue(0);
  }

  @Test
  void damageIsFoundBeforeASliceIsHandedOut() {
    BundleGather gather = gather(1000, true);
    int section = 16 + 40 * TGBS + TGBS * 1000;
    byte[] whole = new byte[(int) (long) Futures.await(store.length("data/00/b"))];
    Futures.await(store.read("data/00/b", 0, whole.length)).get(whole);
    whole[8 + 2 * section + 30] ^= 1;
    BundleFixtures.put(store, "data/00/b", whole);
    Places places = Futures.await(gather.places(List.of(1, 2)));
    assertThatThrownBy(() -> Futures.await(gather.whole(places)))
        .isInstanceOf(CorruptObjectException.class);
    assertThatThrownBy(() -> Futures.await(gather.tables(places)))
        .isInstanceOf(CorruptObjectException.class);
    Places before = Futures.await(gather.places(IntStream.range(0, 2).boxed().toList()));
    assertThat(Futures.await(gather.whole(before))).hasSize(2);
  }
}
