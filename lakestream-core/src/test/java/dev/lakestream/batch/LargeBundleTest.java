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
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Suffix;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Field fault B38: past 2 GiB and 4 GiB: one buffer stands for all slices, and the object is never
 * in one piece.
 */
class LargeBundleTest {

  private static final UUID STREAM = new UUID(1, 2);
  private static final Mesh ONE = new Mesh(1, 1);

  @Test
  void aSectionLongerThan4GiBIsReadInItsParts() {
    int length = 32 << 20;
    int tgbs = 140;
    ByteBuffer shared = ByteBuffer.allocate(length);
    shared.put(length - 1, (byte) 7);
    BundleBuilder builder = new BundleBuilder(STREAM, "raw", Compression.NONE);
    for (int k = 0; k < tgbs; k++) {
      builder.add(GlobalBatch.of(ONE, List.of(new Slice(shared, k))));
    }
    Bundle bundle = builder.build("data/00/large.bundle", Map.of());
    assertThat(bundle.staged().objectLength()).isGreaterThan(1L << 32);
    assertThat(bundle.staged().sectionStride()).isGreaterThan(1L << 32);

    PayloadStore store = new PayloadStore(bundle.payload());
    Futures.await(BundleCheck.exists(store, STREAM, bundle.staged()));
    BundleReader reader = BundleReader.of(store, STREAM, bundle.staged());
    RankSection last = Futures.await(reader.read(0, 0, tgbs - 1, tgbs));
    assertThat(last.slice(tgbs - 1)).isEqualTo(new Slice(shared, tgbs - 1));
    assertThat(store.longest).isEqualTo(length);

    List<SectionTable.Range> ranges = last.table().ranges(0, tgbs, BundleReader.MAX_RANGE);
    assertThat(ranges).hasSize(3);
    assertThat(ranges).allSatisfy(range -> assertThat(range.length()).isPositive());
    assertThat(ranges.stream().mapToLong(SectionTable.Range::length).sum())
        .isEqualTo((long) tgbs * length);
    assertThat(last.table().runs(64 << 20)).hasSize(tgbs / 2);
  }

  @Test
  void aSliceThatIsTooLongIsRefusedWithTheLimit(@TempDir Path directory) throws IOException {
    Path sparse = directory.resolve("sparse");
    ByteBuffer large;
    try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
      file.setLength(Integer.MAX_VALUE);
      large = file.getChannel().map(MapMode.READ_ONLY, 0, Integer.MAX_VALUE);
    }
    for (Compression compression : Compression.values()) {
      BundleBuilder builder = new BundleBuilder(STREAM, "raw", compression);
      GlobalBatch batch =
          GlobalBatch.of(new Mesh(1, 2), List.of(Slice.of(new byte[1], 1), new Slice(large, 1)));
      assertThatThrownBy(() -> builder.add(batch))
          .isInstanceOf(InvalidBatchException.class)
          .hasMessageContainingAll("Slice (0, 1)", "2147483647 bytes", "2147482623");
      assertThat(builder.isEmpty()).isTrue();
      assertThat(builder.bytes()).isZero();
    }
  }

  /** Reads from the buffers of a payload, as if they had been written. */
  private static final class PayloadStore implements ObjectStore {

    private final Payload payload;
    private int longest;

    PayloadStore(Payload payload) {
      this.payload = payload;
    }

    @Override
    public String address() {
      return "payload:";
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
      longest = Math.max(longest, length);
      ByteBuffer out = ByteBuffer.allocate(length);
      long at = 0;
      for (ByteBuffer buffer : payload.buffers()) {
        long from = Math.max(0, offset - at);
        int size = buffer.remaining();
        if (from < size && out.hasRemaining()) {
          out.put(buffer.slice((int) from, (int) Math.min(size - from, out.remaining())));
        }
        at += size;
      }
      return CompletableFuture.completedFuture(out.flip());
    }

    @Override
    public CompletableFuture<Suffix> readSuffix(String key, int length) {
      return read(key, payload.length() - length, length)
          .thenApply(bytes -> new Suffix(bytes, payload.length()));
    }

    @Override
    public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> put(String key, Payload content) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Long> length(String key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> delete(String key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
