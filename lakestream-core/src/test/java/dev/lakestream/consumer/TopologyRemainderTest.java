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

import static dev.lakestream.consumer.ReaderFixtures.BATCH;
import static dev.lakestream.consumer.ReaderFixtures.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows and records that do not divide by the number of ranks. */
class TopologyRemainderTest {

  @Test
  void rowsThatDoNotFillAConsumerStepWaitForMore() {
    RecordStream stream =
        new RecordStream(new MemoryStore(), (step, d, c) -> 1).commit(new Mesh(2, 1), 2);
    try (var job = stream.job(new Mesh(3, 1), ROWS)) {
      assertThat(job.next()).isEqualTo(stream.rows(0, 3));
      job.assertNothingMore();
      stream.commit(new Mesh(2, 1), 1);
      assertThat(job.next()).isEqualTo(stream.rows(3, 6));
      Cursor cursor = job.ranks().get(1).cursor();
      assertThat(cursor.step()).isEqualTo(3);
      assertThat(cursor.row()).isEqualTo(6);
    }
  }

  /**
   * Field fault B35: 3 rows for 8 ranks, and slices without bytes first, in the middle and last.
   */
  @Test
  void b35RanksWithoutRecordsSeeTheSameStepsAndAskForNothing() {
    FaultyStore store = FaultyStore.inMemory();
    RecordStream stream =
        new RecordStream(store, (step, d, c) -> d == step % 3 ? 3 : 0)
            .commit(new Mesh(3, 1), 1, 1, 1);
    for (ReaderSettings settings : List.of(ROWS, BATCH)) {
      int ranks = settings == BATCH ? 8 : 2;
      for (int d = 0; d < ranks; d++) {
        try (RankReader reader =
            RankReader.open(stream.written().stream(), RankPosition.of(ranks, 1, d, 0), settings)) {
          int steps = settings == BATCH ? 3 : 4;
          for (int step = 0; step < steps; step++) {
            reader.next();
          }
          RecordStream.assertNothingMore(reader);
          assertThat(reader.cursor().step()).isEqualTo(settings == BATCH ? 3 : 2);
        }
      }
    }
    assertThat(store.log().requests())
        .noneMatch(r -> r.op() == Op.READ && r.key().startsWith("data/") && r.down() == 0);
  }

  /** Field fault B35: 101 rows for 4 ranks; those that fill no step wait, and none is padded. */
  @Test
  void b35InModeRows101RowsAre25StepsForEachOf4RanksAndTheLastRowWaits() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 1);
    stream.commit(new Mesh(1, 1), 40, 60, 1);
    Cursor end;
    try (var job = stream.job(new Mesh(4, 1), ROWS)) {
      List<String> read = new ArrayList<>();
      for (int step = 0; step < 25; step++) {
        read.addAll(job.next());
      }
      assertThat(read).isEqualTo(stream.rows(0, 100));
      job.assertNothingMore();
      end = job.cursor();
      assertThat(end.row()).isEqualTo(100);

      stream.commit(new Mesh(1, 1), 2);
      job.assertNothingMore();
      stream.commit(new Mesh(1, 1), 1);
      assertThat(job.next()).isEqualTo(stream.rows(100, 104));
      job.assertNothingMore();
    }
    try (var single = stream.job(new Mesh(1, 1), end, ROWS)) {
      assertThat(single.next()).as("a later D' that fits").isEqualTo(stream.rows(100, 101));
    }
  }

  /** Field fault B35: as many records as do not divide, in every step. */
  @Test
  void b35InModeBatch101RowsOfAStepAre26ForOneRankAnd25ForTheOthersInAsManySteps() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 1);
    stream.commit(new Mesh(101, 1), 2, 1);
    try (var job = stream.job(new Mesh(4, 1), BATCH)) {
      for (int step = 0; step < 3; step++) {
        List<Integer> shares = new ArrayList<>();
        List<String> union = new ArrayList<>();
        for (RankReader rank : job.ranks()) {
          List<String> records = RecordStream.records(rank.next());
          shares.add(records.size());
          union.addAll(records);
        }
        assertThat(shares).containsExactly(25, 25, 25, 26);
        assertThat(union).isEqualTo(stream.rows(step * 101L, step * 101L + 101));
      }
      job.assertNothingMore();
      assertThat(job.cursor().step()).isEqualTo(3);
    }
  }

  /** Field fault B35: 101 steps of one row each; three of the four ranks have nothing to do. */
  @Test
  void b35InModeBatch101StepsOfOneRowAre101StepsForEachOf4Ranks() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 1);
    stream.commit(new Mesh(1, 1), 40, 60, 1);
    try (var job = stream.job(new Mesh(4, 1), BATCH)) {
      List<String> read = new ArrayList<>();
      for (int step = 0; step < 101; step++) {
        read.addAll(job.next());
      }
      assertThat(read).isEqualTo(stream.rows(0, 101));
      job.assertNothingMore();
    }
  }
}
