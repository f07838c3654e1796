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

import static dev.lakestream.consumer.ReaderFixtures.EAGER;
import static dev.lakestream.consumer.ReaderFixtures.LONG;
import static dev.lakestream.consumer.ReaderFixtures.SHORT;
import static dev.lakestream.consumer.ReaderFixtures.expected;
import static dev.lakestream.consumer.ReaderFixtures.read;
import static dev.lakestream.consumer.ReaderFixtures.reader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a rank of the stream's own mesh reads. */
class RankReaderTest {

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
