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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.Refusal;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reading with another mesh than that of the stream. */
class TopologyReadTest {

  private static RecordStream changing(FaultyStore store) {
    return new RecordStream(store, (step, d, c) -> (int) (step * 7 + d * 5 + c * 3) % 4)
        .commit(new Mesh(4, 1), 3, 2)
        .commit(new Mesh(3, 2), 1)
        .commit(new Mesh(1, 2), 6)
        .commit(new Mesh(5, 1), 2);
  }

  @Test
  void everyNumberOfReplicasReadsTheSameRowsInOrder() {
    FaultyStore store = FaultyStore.inMemory();
    RecordStream stream = changing(store);
    for (int[] mesh : new int[][] {{1, 1}, {2, 1}, {3, 2}, {4, 4}, {7, 1}, {16, 2}}) {
      Mesh reader = new Mesh(mesh[0], mesh[1]);
      try (var job = stream.job(reader, ROWS)) {
        List<String> read = new ArrayList<>();
        long rows = stream.written().head().nextRow();
        for (int step = 0; step < rows / reader.dp(); step++) {
          read.addAll(job.next());
        }
        assertThat(read).isEqualTo(stream.rows(0, rows / reader.dp() * reader.dp()));
        job.assertNothingMore();
      }
    }
  }

  @Test
  void theRecordsOfAStepAreSplitOverAnyNumberOfReplicas() {
    FaultyStore store = FaultyStore.inMemory();
    RecordStream stream = changing(store);
    for (int[] mesh : new int[][] {{1, 1}, {2, 3}, {3, 2}, {5, 1}, {8, 2}}) {
      Mesh reader = new Mesh(mesh[0], mesh[1]);
      try (var job = stream.job(reader, BATCH)) {
        for (int step = 0; step < stream.written().steps(); step++) {
          List<String> before = stream.steps(step);
          List<String> upTo = stream.steps(step + 1);
          assertThat(job.next()).isEqualTo(upTo.subList(before.size(), upTo.size()));
        }
      }
    }
  }

  @Test
  void whereAllSlicesHoldAsManyRecordsTheFooterSparesTheTables() {
    FaultyStore store = FaultyStore.inMemory();
    RecordStream stream =
        new RecordStream(store, (step, d, c) -> 40).commit(new Mesh(8, 1), 8, 8, 8);
    store.log().clear();
    RankPosition half = RankPosition.of(4, 1, 1, 0);
    try (RankReader reader = RankReader.open(stream.written().stream(), half, BATCH)) {
      for (int step = 0; step < 24; step++) {
        assertThat(RecordStream.records(reader.next())).hasSize(80);
      }
      // A footer and one range over two neighbouring sections, for each bundle.
      assertThat(store.log().count(Op.READ, "data/")).isEqualTo(6);
      assertThat(reader.stats().requests()).isEqualTo(6);
      assertThat(reader.stats().bytes()).isEqualTo(store.log().bytesDown("data/"));
    }
  }

  @Test
  void halfTheReplicasReadTwoSectionsOfEachBundleAndTwiceAsManyEveryOtherSlice() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.even(store, new Mesh(4, 1), 100_000).commit(8);
    for (int dp : new int[] {2, 8}) {
      store.log().clear();
      try (RankReader reader =
          RankReader.open(written.stream(), RankPosition.of(dp, 1, 1, 0), ROWS)) {
        int steps = 32 / dp;
        for (int step = 0; step < steps; step++) {
          int row = step * dp + 1;
          assertThat(reader.next().slice().bytes())
              .isEqualTo(ByteBuffer.wrap(WrittenStream.bytes(row / 4, row % 4, 0, 100_000)));
        }
        assertThat(store.log().bytesDown("data/")).isLessThan(steps * 100_000L + 3000);
      }
    }
  }

  @Test
  void aConsumerStepWithARowThatCannotBeReadIsRefusedByAllItsRanks() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 2);
    stream.commit(new Mesh(2, 2), 2, 1).commit(new Mesh(1, 3), 1); // rows 0 to 5, and row 6
    try (var job = stream.job(new Mesh(4, 2), ROWS)) {
      assertThat(job.next()).isEqualTo(stream.rows(0, 4));
      job.assertNothingMore(); // It lacks a row: nobody knows yet what it is.

      stream.commit(new Mesh(2, 2), 1); // rows 7 and 8
      for (int again = 0; again < 2; again++) {
        for (RankReader rank : job.ranks()) {
          assertThatThrownBy(rank::next)
              .isInstanceOfSatisfying(
                  MeshMismatchException.class,
                  e -> assertThat(e.refusal()).isEqualTo(Refusal.CHUNKS_DO_NOT_DIVIDE))
              .hasMessageContaining("Step 3 of ")
              .hasMessageContaining("row 6, of the consumer step of rows 4 to 7");
        }
      }
      assertThat(job.cursor().row()).isEqualTo(4);
      job.ranks().forEach(rank -> rank.seek(4)); // row 7, behind what cannot be read
      job.assertNothingMore();
      stream.commit(new Mesh(2, 2), 1); // rows 9 and 10
      assertThat(job.next()).isEqualTo(stream.rows(7, 11));
    }
  }
}
