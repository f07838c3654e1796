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
package dev.lakestream.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RankReaderTest {

  static final Duration LONG = Duration.ofSeconds(20);
  static final Duration SHORT = Duration.ofMillis(150);

  /** Polls often, so that tests do not wait. */
  static final ReaderSettings EAGER =
      ReaderSettings.DEFAULT
          .withPolling(Duration.ofMillis(5), Duration.ofSeconds(30))
          .withTimeout(LONG);

  static RankReader reader(WrittenStream written, int dp, int cp, int d, int c) {
    return RankReader.open(written.stream(), RankPosition.of(dp, cp, d, c), EAGER);
  }

  static List<ByteBuffer> read(RankReader reader, long steps) {
    List<ByteBuffer> slices = new ArrayList<>();
    for (long i = 0; i < steps; i++) {
      slices.add(reader.next().slice().bytes().duplicate());
    }
    return slices;
  }

  static List<ByteBuffer> expected(long from, long to, int d, int c) {
    List<ByteBuffer> slices = new ArrayList<>();
    for (long step = from; step < to; step++) {
      slices.add(WrittenStream.unevenSlice(step, d, c).bytes());
    }
    return slices;
  }

  @Test
  void everyRankReadsItsOwnSlicesInOrder() {
    for (Compression compression : Compression.values()) {
      WrittenStream written =
          WrittenStream.uneven(new MemoryStore(), new Mesh(2, 3))
              .compressed(compression)
              .commit(1, 4, 2)
              .commit(7)
              .commit(1);
      for (int d = 0; d < 2; d++) {
        for (int c = 0; c < 3; c++) {
          try (RankReader reader = reader(written, 2, 3, d, c)) {
            assertThat(read(reader, 15)).isEqualTo(expected(0, 15, d, c));
            RecordStream.assertNothingMore(reader);
          }
        }
      }
    }
  }

  @Test
  void aStepSaysWhichBundleAndManifestItCameFrom() {
    WrittenStream written =
        WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(2).commit(3);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      read(reader, 3);
      RankStep step = reader.next();
      assertThat(step.step()).isEqualTo(3);
      assertThat(step.bundle().firstStep()).isEqualTo(2);
      assertThat(step.version()).isEqualTo(written.head().version());
    }
  }

  @Test
  void aFileStoreIsReadInTheSameWay(@TempDir Path directory) {
    try (ObjectStore store =
        Stores.open("file://" + directory + "/s", Map.of("file.sync", "false"))) {
      WrittenStream written = WrittenStream.uneven(store, new Mesh(2, 2)).commit(3, 5).commit(4);
      try (RankReader reader = RankReader.open(store, RankPosition.of(2, 2, 1, 1))) {
        assertThat(read(reader, written.steps())).isEqualTo(expected(0, 12, 1, 1));
      }
    }
  }

  @Test
  void aLongHistoryInSegmentsIsReadToTheEnd() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 2));
    for (int i = 0; i < 150; i++) {
      written.commit(1, 2);
    }
    assertThat(written.head().sealed()).isPresent();
    try (RankReader reader = reader(written, 1, 2, 0, 1)) {
      assertThat(read(reader, 450)).isEqualTo(expected(0, 450, 0, 1));
      reader.seek(17);
      assertThat(read(reader, 5)).isEqualTo(expected(17, 22, 0, 1));
    }
  }

  @Test
  void aBundleCostsOneRangeForTheRankAndOneFooterUnlessThereIsAStride() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream.even(store, new Mesh(4, 2), 24).commit(8, 8, 8).commit(8);
    assertThat(requestsOf(store, 32)).isEqualTo(new Cost(4, 0));

    FaultyStore uneven = FaultyStore.inMemory();
    WrittenStream.uneven(uneven, new Mesh(4, 2)).commit(8, 8, 8).commit(8);
    assertThat(requestsOf(uneven, 32)).isEqualTo(new Cost(8, 0));
  }

  private record Cost(long reads, long others) {}

  private static Cost requestsOf(FaultyStore store, int steps) {
    store.log().clear();
    try (RankReader reader = RankReader.open(store, RankPosition.of(4, 2, 3, 1))) {
      read(reader, steps);
    }
    long all = store.log().requests().stream().filter(r -> r.key().startsWith("data/")).count();
    long reads = store.log().count(Op.READ, "data/");
    return new Cost(reads, all - reads);
  }

  @Test
  void aRankMovesNoMoreBytesThanItsOwnSections() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream.even(store, new Mesh(16, 1), 10_000).commit(4);
    store.log().clear();
    try (RankReader reader = RankReader.open(store, RankPosition.of(16, 1, 9, 0))) {
      read(reader, 4);
    }
    assertThat(store.log().bytesDown("data/")).isBetween(40_000L, 41_000L);
  }

  @Test
  void openingReadsNoDataBeforeItIsAskedFor() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(3, 3);
    store.log().clear();
    Cursor cursor = new Cursor(written.stream().id(), 1, 4, new Mesh(1, 1));
    try (RankReader reader =
        RankReader.resume(written.stream(), RankPosition.of(1, 1, 0, 0), cursor, EAGER)) {
      assertThat(store.log().bytesDown("data/")).isZero();
      assertThat(reader.next().step()).isEqualTo(4);
    }
  }

  @Test
  void newManifestsAreFollowedByShortReadsOfTheirEnds() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1));
    for (int i = 0; i < 40; i++) {
      written.commit(1);
    }
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      read(reader, 40);
      store.log().clear();
      for (int i = 0; i < 5; i++) {
        written.commit(2);
        assertThat(read(reader, 2)).isEqualTo(expected(40 + 2 * i, 42 + 2 * i, 0, 0));
      }
      assertThat(store.log().count(Op.READ, StreamKeys.MANIFEST_PREFIX)).isZero();
    }
  }

  @Test
  void aReaderAtTheEndReceivesWhatIsPublishedMeanwhile() throws Exception {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(1);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      reader.next();
      CompletableFuture<RankStep> waiting = CompletableFuture.supplyAsync(reader::next);
      written.commit(1);
      assertThat(waiting.get().step()).isEqualTo(1);
    }
  }

  @Test
  void theEndOfTheStreamIsTheSameForRanksWithAndWithoutData() {
    // 3 rows for 8 ranks: five ranks have nothing, and see every step all the same.
    WrittenStream written =
        new WrittenStream(
                new MemoryStore(),
                new Mesh(8, 1),
                "raw",
                (step, d, c) ->
                    d % 3 == 1 ? Slice.of(new byte[] {(byte) step}, 1) : Slice.of(new byte[0], 0))
            .commit(1, 2);
    for (int d = 0; d < 8; d++) {
      try (RankReader reader = reader(written, 8, 1, d, 0)) {
        for (int step = 0; step < 3; step++) {
          RankStep read = reader.next();
          assertThat(read.slice().bytes().remaining()).isEqualTo(d % 3 == 1 ? 1 : 0);
          assertThat(read.slice().records()).isEqualTo(d % 3 == 1 ? 1 : 0);
        }
        RecordStream.assertNothingMore(reader);
      }
    }
  }

  @Test
  void nextGivesUpNamingTheStepThatNobodyPublished() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(2);
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), EAGER.withTimeout(SHORT))) {
      for (int step = 0; step < 2; step++) {
        assertThat(reader.poll(LONG)).isPresent(); // However slow the machine is.
      }
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              ReadTimeoutException.class, e -> assertThat(e.stage()).isEqualTo(Stage.NEW_STEP))
          .hasMessageContaining("published step 2");
    }
  }

  @Test
  void aSectionLargerThanTheMemoryIsReadInParts() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 1000).commit(20);
    store.log().clear();
    ReaderSettings small = EAGER.withPrefetch(8, 6000);
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), small)) {
      for (int step = 0; step < 20; step++) {
        assertThat(reader.next().slice().bytes())
            .isEqualTo(ByteBuffer.wrap(WrittenStream.bytes(step, 0, 0, 1000)));
      }
    }
    // The table, and 20 slices in threes.
    assertThat(store.log().count(Op.READ, "data/")).isEqualTo(1 + 7);
  }

  @Test
  void prefetchStopsAtItsBounds() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written =
        WrittenStream.even(store, new Mesh(1, 1), 1000).commit(1, 1, 1, 1, 1, 1, 1, 1);
    for (ReaderSettings settings :
        List.of(EAGER.withPrefetch(3, 1 << 20), EAGER.withPrefetch(100, 3500))) {
      store.log().clear();
      try (RankReader reader =
          RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), settings)) {
        for (int step = 0; step < 8; step++) {
          reader.next();
          // At most three are under way or ready, beside those that have been delivered.
          assertThat(store.log().count(Op.READ, "data/")).isLessThanOrEqualTo(step + 1 + 3);
          assertThat(reader.stats().fetches()).isLessThanOrEqualTo(3);
          assertThat(reader.stats().fetchedBytes()).isLessThanOrEqualTo(3500);
        }
      }
    }
  }

  @Test
  void batchesOfAnotherMeshAreRefusedAtTheirStepNamingBoth() {
    WrittenStream written =
        WrittenStream.uneven(new MemoryStore(), new Mesh(2, 1))
            .commit(2)
            .mesh(new Mesh(4, 1))
            .commit(1);
    try (RankReader reader = reader(written, 2, 1, 0, 0)) {
      read(reader, 2);
      for (int again = 0; again < 2; again++) {
        assertThatThrownBy(reader::next)
            .isInstanceOf(MeshMismatchException.class)
            .hasMessageContaining("Step 2")
            .hasMessageContaining("4x1")
            .hasMessageContaining("2x1");
      }
      assertThat(reader.cursor().step()).isEqualTo(2);
    }
  }

  @Test
  void seekingBackAndForthAndToTheEnd() {
    WrittenStream written =
        WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(3, 4).commit(5);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      for (long from : new long[] {5, 0, 11, 7, 3, 4}) {
        reader.seek(from);
        assertThat(reader.cursor().step()).isEqualTo(from);
        assertThat(read(reader, 12 - from)).isEqualTo(expected(from, 12, 0, 0));
      }
      reader.seek(12);
      RecordStream.assertNothingMore(reader);
      written.commit(1);
      assertThat(reader.next().step()).isEqualTo(12);
      assertThatThrownBy(() -> reader.seek(14))
          .isInstanceOfSatisfying(
              StepBeyondEndException.class, e -> assertThat(e.nextStep()).isEqualTo(13))
          .hasMessageContaining("Step 14");
      assertThatThrownBy(() -> reader.seek(-1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aPositionBelowTheTrimIsAnErrorThatNamesTheFirstStepHeld() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(2, 2, 2);
    RankPosition rank = RankPosition.of(1, 1, 0, 0);
    Cursor cursor;
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      reader.next();
      cursor = reader.cursor();
    }
    written.trim(3);
    assertThatThrownBy(() -> RankReader.resume(written.stream(), rank, cursor, EAGER))
        .isInstanceOfSatisfying(
            TrimmedException.class, e -> assertThat(e.firstStepHeld()).isEqualTo(3))
        .hasMessageContaining("Step 1");
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      assertThatThrownBy(() -> reader.seek(2)).isInstanceOf(TrimmedException.class);
      assertThat(reader.next().step()).isEqualTo(3);
    }
  }

  @Test
  void aStepReclaimedUnderAReaderIsTrimmedAndNotMissing() {
    MemoryStore store = new MemoryStore();
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1, 1).commit(1);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      written.trim(2);
      for (String key : store.keys()) {
        if (key.startsWith("data/")) {
          Futures.await(store.delete(key));
        }
      }
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              TrimmedException.class, e -> assertThat(e.firstStepHeld()).isEqualTo(2));
    }
  }

  @Test
  void aReaderWhoseManifestWasReclaimedWhileItSleptGoesOnAtTheHead() {
    MemoryStore store = new MemoryStore();
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1);
    ReaderSettings settings =
        EAGER.withPolling(Duration.ofMillis(2), Duration.ofMillis(20)).withTimeout(LONG);
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), settings)) {
      reader.next();
      // The next number is gone again before the reader looks: only a listing can tell.
      written.commit(1).commit(1);
      long head = written.head().version();
      for (long version = 0; version < head; version++) {
        Futures.await(store.delete(StreamKeys.manifest(version)));
      }
      assertThat(read(reader, 2)).isEqualTo(expected(1, 3, 0, 0));
    }
  }

  @Test
  void cursorsOfOtherStreamsAndMeshesAreRefusedNamingBoth() {
    WrittenStream one = WrittenStream.uneven(new MemoryStore(), new Mesh(2, 1)).commit(1);
    WrittenStream other = WrittenStream.uneven(new MemoryStore(), new Mesh(2, 1)).commit(1);
    RankPosition rank = RankPosition.of(2, 1, 0, 0);
    Cursor foreign = reader(other, 2, 1, 0, 0).cursor();
    assertThatThrownBy(() -> RankReader.resume(one.stream(), rank, foreign, EAGER))
        .isInstanceOf(ForeignCursorException.class)
        .hasMessageContaining(one.stream().id().toString())
        .hasMessageContaining(other.stream().id().toString());
    Cursor wider = new Cursor(one.stream().id(), 1, 0, new Mesh(4, 1));
    assertThatThrownBy(() -> RankReader.resume(one.stream(), rank, wider, EAGER))
        .isInstanceOf(MeshMismatchException.class)
        .hasMessageContaining("4x1")
        .hasMessageContaining("2x1");
  }

  @Test
  void aCursorOfALaterStateThanTheStoreHoldsIsRefused() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(3);
    RankPosition rank = RankPosition.of(1, 1, 0, 0);
    for (Cursor future :
        List.of(
            new Cursor(written.stream().id(), 99, 2, new Mesh(1, 1)),
            new Cursor(written.stream().id(), 2, 4, new Mesh(1, 1)))) {
      assertThatThrownBy(() -> RankReader.resume(written.stream(), rank, future, EAGER))
          .isInstanceOf(ForeignCursorException.class)
          .hasMessageContaining("ends at step 3")
          .hasMessageContaining("older than the checkpoint");
    }
  }

  @Test
  void theCursorFollowsWhatWasDeliveredAndNotWhatWasFetched() {
    WrittenStream written =
        WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(4, 4).commit(4);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      for (long step = 0; step < 12; step++) {
        assertThat(reader.cursor().step()).isEqualTo(step);
        RankStep read = reader.next();
        assertThat(read.step()).isEqualTo(step);
        assertThat(reader.cursor())
            .isEqualTo(
                new Cursor(
                    written.stream().id(),
                    read.version(),
                    step + 1,
                    step + 1,
                    new Mesh(1, 1),
                    ReadMode.EXACT));
      }
    }
  }

  @Test
  void thereIsNoReaderWithoutAStream() {
    assertThatThrownBy(() -> RankReader.open(new MemoryStore(), RankPosition.of(1, 1, 0, 0)))
        .isInstanceOf(StreamNotFoundException.class);
  }

  @Test
  void aClosedReaderSaysSo() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(1);
    RankReader reader = reader(written, 1, 1, 0, 0);
    reader.next();
    reader.close();
    assertThatThrownBy(() -> reader.poll(Duration.ZERO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void waitingIsAttributed() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(1, 1)).commit(1);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      reader.next();
      Optional<RankStep> none = reader.poll(SHORT);
      assertThat(none).isEmpty();
      Duration idle = reader.waits().get(Stage.NEW_STEP).plus(reader.waits().get(Stage.MANIFEST));
      assertThat(idle).isBetween(SHORT.dividedBy(2), LONG);
    }
  }
}
