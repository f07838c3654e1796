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

import dev.lakestream.LakestreamException;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.ToLongFunction;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What holds for every bundle, whatever is in it. */
class BundleProperties {

  private static final UUID STREAM = new UUID(1, 2);
  private static final String OBJECT = "data/00/x.bundle";

  @Property(tries = 60)
  void everythingThatIsWrittenIsRead(
      @ForAll @IntRange(min = 1, max = 5) int dp,
      @ForAll @IntRange(min = 1, max = 4) int cp,
      @ForAll @IntRange(min = 1, max = 8) int tgbs,
      @ForAll @IntRange(max = 5000) int longest,
      @ForAll Compression compression,
      @ForAll boolean equallyLong,
      @ForAll long seed) {
    List<GlobalBatch> batches = batches(new Mesh(dp, cp), tgbs, longest, equallyLong, seed);
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", compression);
    batches.forEach(builder::add);
    MemoryStore store = new MemoryStore();
    StagedBundle staged = BundleFixtures.write(store, builder.build(OBJECT, Map.of("a", "b")));

    assertThat(staged.objectLength()).isEqualTo(store.bytes(OBJECT).length);
    assertThat(staged.records()).isEqualTo(sum(batches, GlobalBatch::records));
    assertThat(staged.rawBytes()).isEqualTo(sum(batches, GlobalBatch::bytes));
    if (equallyLong && compression == Compression.NONE) {
      assertThat(staged.sectionStride()).isPositive();
    }
    BundleReader reader = BundleReader.of(store, STREAM, staged);
    BundleReader inPieces = new BundleReader(store, STREAM, staged, 200);
    for (int d = 0; d < dp; d++) {
      for (int c = 0; c < cp; c++) {
        check(reader.section(d, c), batches, d, c);
        check(inPieces.section(d, c), batches, d, c);
        int from = (int) Math.floorMod(seed, (long) tgbs);
        check(Futures.await(reader.read(d, c, from, tgbs)), batches, d, c);
      }
    }
    BundleCheck.full(store, STREAM, staged);
    StagedBundle found = BundleCheck.full(store, OBJECT);
    assertThat(found.attributes()).isEmpty();
    assertThat(found).usingRecursiveComparison().ignoringFields("attributes").isEqualTo(staged);
  }

  @Property(tries = 6)
  void anyChangedByteIsFound(@ForAll Compression compression, @ForAll long seed) {
    MemoryStore store = new MemoryStore();
    StagedBundle staged = write(store, compression, seed);
    byte[] whole = store.bytes(OBJECT);
    Random random = new Random(seed);
    for (int at = 0; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= (byte) (1 << random.nextInt(8));
      BundleFixtures.put(store, OBJECT, changed);
      assertThatThrownBy(() -> BundleCheck.full(store, STREAM, staged))
          .as("byte %s of %s", at, whole.length)
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining(OBJECT);
      assertThatThrownBy(() -> BundleCheck.full(store, OBJECT))
          .as("byte %s of %s, no descriptor", at, whole.length)
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining(OBJECT);
    }
  }

  @Property(tries = 6)
  void aCutAnywhereIsFound(@ForAll Compression compression, @ForAll long seed) {
    MemoryStore store = new MemoryStore();
    StagedBundle staged = write(store, compression, seed);
    byte[] whole = store.bytes(OBJECT);
    for (int length = 0; length < whole.length; length++) {
      BundleFixtures.put(store, OBJECT, Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> Futures.await(BundleCheck.exists(store, STREAM, staged)))
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining(OBJECT)
          .hasMessageContaining("has " + length + " bytes");
      assertThatThrownBy(() -> BundleCheck.full(store, OBJECT))
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining(OBJECT);
    }
  }

  private static StagedBundle write(MemoryStore store, Compression compression, long seed) {
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", compression);
    batches(new Mesh(2, 2), 2, 60, false, seed).forEach(builder::add);
    return BundleFixtures.write(store, builder.build(OBJECT, Map.of()));
  }

  /** Batches whose slices compress, or not, or are empty. */
  static List<GlobalBatch> batches(
      Mesh mesh, int tgbs, int longest, boolean equallyLong, long seed) {
    Random random = new Random(seed);
    List<GlobalBatch> batches = new ArrayList<>();
    for (int k = 0; k < tgbs; k++) {
      List<Slice> slices = new ArrayList<>();
      for (int r = 0; r < mesh.slices(); r++) {
        byte[] bytes = new byte[equallyLong ? longest : random.nextInt(longest + 1)];
        if (random.nextBoolean()) {
          random.nextBytes(bytes);
        } else {
          Arrays.fill(bytes, (byte) random.nextInt());
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (random.nextInt(4) == 0) {
          buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        } else if (random.nextInt(4) == 0) {
          buffer = buffer.asReadOnlyBuffer();
        }
        slices.add(new Slice(buffer, random.nextInt(1000)));
      }
      EventTimeRange eventTime =
          random.nextInt(8) == 0 ? null : EventTimeRange.at(random.nextInt());
      batches.add(new GlobalBatch(mesh, slices, eventTime, Map.of("k", "" + k)));
    }
    return batches;
  }

  private static void check(RankSection section, List<GlobalBatch> batches, int d, int c) {
    for (int k = section.fromTgb(); k < section.toTgb(); k++) {
      GlobalBatch batch = batches.get(k);
      assertThat(section.slice(k)).isEqualTo(batch.slices().get(batch.mesh().index(d, c)));
    }
  }

  private static long sum(List<GlobalBatch> batches, ToLongFunction<GlobalBatch> value) {
    return batches.stream().mapToLong(value).sum();
  }
}
