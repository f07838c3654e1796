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
import static dev.lakestream.consumer.ReaderFixtures.expected;
import static dev.lakestream.consumer.ReaderFixtures.read;
import static dev.lakestream.consumer.ReaderFixtures.reader;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a rank stands, where it may go, and what it is told where that is not in the stream. */
class RankReaderCursorTest {

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
}
