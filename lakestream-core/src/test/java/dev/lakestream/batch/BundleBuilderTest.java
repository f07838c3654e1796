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

import dev.lakestream.batch.BundleBuilder.Bundle;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Payload;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BundleBuilderTest {

  private static final UUID STREAM = new UUID(1, 2);
  private static final String OBJECT = "data/00/x.bundle";
  private static final Mesh ONE = new Mesh(1, 1);

  private final MemoryStore store = new MemoryStore();

  private static BundleBuilder builder(Compression compression) {
    return new BundleBuilder(STREAM, "raw", compression);
  }

  private static GlobalBatch batch(byte[] bytes) {
    return GlobalBatch.of(ONE, List.of(Slice.of(bytes, 1)));
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void uncompressedSlicesReachTheStoreInTheBuffersThatTheyCameIn() {
    ByteBuffer first = ByteBuffer.allocateDirect(1000);
    ByteBuffer second = ByteBuffer.allocateDirect(1001);
    BundleBuilder builder = builder(Compression.NONE);
    Mesh mesh = new Mesh(2, 1);
    builder.add(GlobalBatch.of(mesh, List.of(new Slice(first, 1), new Slice(second, 1))));
    Payload payload = builder.build(OBJECT, Map.of()).payload();

    // Written through the buffers that were given, seen in the payload: the memory is the same.
    first.put(500, (byte) 77);
    second.put(1000, (byte) 78);
    byte[] object = BundleFixtures.bytes(payload);
    int table = BundleFormat.tableLength(1);
    assertThat(object[8 + table + 500]).isEqualTo((byte) 77);
    assertThat(object[8 + table + 1000 + table + 1000]).isEqualTo((byte) 78);
  }

  @Test
  void aCallerWhoMovesItsBufferChangesNothing() {
    ByteBuffer bytes = ByteBuffer.wrap(random(100, 1));
    BundleBuilder builder = builder(Compression.NONE);
    builder.add(GlobalBatch.of(ONE, List.of(new Slice(bytes, 1))));
    bytes.position(50);
    BundleCheck.full(store, STREAM, BundleFixtures.write(store, builder.build(OBJECT, Map.of())));
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"ZSTD", "LZ4"})
  void aSliceThatCompressionDoesNotShrinkIsKeptAsItCame(Compression compression) {
    byte[] noise = random(5000, 2);
    BundleBuilder builder = builder(compression);
    builder.add(batch(noise));
    Bundle bundle = builder.build(OBJECT, Map.of());
    noise[4000] ^= 1;
    byte[] object = BundleFixtures.bytes(bundle.payload());
    assertThat(object[8 + BundleFormat.tableLength(1) + 4000]).isEqualTo(noise[4000]);
    assertThat(object[8 + BundleFormat.SECTION_HEADER_LENGTH + 32]).isEqualTo((byte) 0);
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"ZSTD", "LZ4"})
  void compressedSlicesHoldLittleMoreMemoryThanTheyTake(Compression compression) {
    BundleBuilder builder = builder(compression);
    long raw = 0;
    for (int k = 0; k < 100; k++) {
      byte[] bytes = new byte[200_000];
      System.arraycopy(random(20_000, k), 0, bytes, 0, 20_000); // A tenth of it is noise.
      builder.add(batch(bytes));
      raw += bytes.length;
    }
    long held = builder.bytes();
    Bundle bundle = builder.build(OBJECT, Map.of());
    assertThat(bundle.staged().rawBytes()).isEqualTo(raw);
    assertThat(bundle.payload().length()).isLessThan(raw / 9);
    // The rest of the page that is open, and of each one before it what one slice did not need.
    assertThat(held).isBetween(bundle.payload().length(), bundle.payload().length() * 3);
    BundleCheck.full(store, STREAM, BundleFixtures.write(store, bundle));
  }

  @Test
  void memoryIsCountedAsItIsTaken() {
    BundleBuilder builder = builder(Compression.NONE);
    assertThat(builder.bytes()).isZero();
    builder.add(batch(new byte[10_000]));
    builder.add(batch(new byte[10_000]));
    assertThat(builder.bytes()).isBetween(20_000L, 21_000L);
    Bundle unused = builder.build(OBJECT, Map.of());
    assertThat(unused.staged().rawBytes()).isEqualTo(20_000);
    assertThat(builder.bytes()).isZero();
  }

  @Test
  void aBatchOfAnotherMeshIsRefusedAndTheBundleIsAsBefore() {
    BundleBuilder builder = builder(Compression.NONE);
    builder.add(batch(new byte[3]));
    GlobalBatch wider =
        GlobalBatch.of(new Mesh(2, 3), Collections.nCopies(6, Slice.of(new byte[0], 0)));
    assertThat(builder.accepts(wider)).isFalse();
    assertThatThrownBy(() -> builder.add(wider))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("2x3")
        .hasMessageContaining("1x1");
    assertThat(builder.tgbs()).isEqualTo(1);

    assertThat(builder.build(OBJECT, Map.of()).staged().mesh()).isEqualTo(ONE);
    assertThat(builder.isEmpty()).isTrue();
    assertThat(builder.accepts(wider)).isTrue();
    builder.add(wider);
    assertThat(builder.build(OBJECT, Map.of()).staged().mesh()).isEqualTo(new Mesh(2, 3));
  }

  @Test
  void aFullBundleAcceptsNoMore() {
    BundleBuilder builder = builder(Compression.NONE);
    GlobalBatch empty = batch(new byte[0]);
    for (int k = 0; k < BundleFormat.MAX_TGBS; k++) {
      builder.add(empty);
    }
    assertThat(builder.accepts(empty)).isFalse();
    assertThatThrownBy(() -> builder.add(empty))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("65536");
    BundleCheck.full(store, STREAM, BundleFixtures.write(store, builder.build(OBJECT, Map.of())));
  }

  @Test
  void attributesThatWouldNotFitIntoTheFooterCloseTheBundle() {
    BundleBuilder builder = builder(Compression.NONE);
    char[] large = new char[7 << 20];
    Arrays.fill(large, 'x');
    GlobalBatch batch =
        new GlobalBatch(
            ONE, List.of(Slice.of(new byte[1], 1)), null, Map.of("k", new String(large)));
    builder.add(batch);
    builder.add(batch);
    assertThat(builder.accepts(batch)).isFalse();
    assertThatThrownBy(() -> builder.add(batch))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("attributes");
    // Longer than what opening by name reads at first.
    BundleCheck.full(store, STREAM, BundleFixtures.write(store, builder.build(OBJECT, Map.of())));
    assertThat(BundleCheck.full(store, OBJECT).tgbCount()).isEqualTo(2);
  }

  @Test
  void moreSlicesThanABundleHoldsAreRefused() {
    BundleBuilder builder = builder(Compression.NONE);
    Mesh wide = new Mesh(1 << 10, 1 << 10);
    GlobalBatch batch =
        GlobalBatch.of(wide, Collections.nCopies(wide.slices(), Slice.of(new byte[0], 0)));
    builder.add(batch);
    assertThat(builder.accepts(batch)).isFalse();
    assertThatThrownBy(() -> builder.add(batch))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("slices; the limit is 1048576");
  }

  @Test
  void aBundleNeedsABatch() {
    assertThatThrownBy(() -> builder(Compression.NONE).build(OBJECT, Map.of()))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining(OBJECT);
  }

  @Test
  void eventTimeIsTheRangeOverAllOrUnknown() {
    BundleBuilder builder = builder(Compression.NONE);
    List<Slice> slices = List.of(Slice.of(new byte[1], 1));
    builder.add(new GlobalBatch(ONE, slices, new EventTimeRange(5, 9), Map.of()));
    builder.add(new GlobalBatch(ONE, slices, new EventTimeRange(-3, 6), Map.of()));
    assertThat(builder.build(OBJECT, Map.of()).staged().eventTime())
        .isEqualTo(new EventTimeRange(-3, 9));

    builder.add(new GlobalBatch(ONE, slices, null, Map.of()));
    builder.add(new GlobalBatch(ONE, slices, EventTimeRange.at(1), Map.of()));
    assertThat(builder.build(OBJECT, Map.of()).staged().eventTime()).isNull();
  }
}
