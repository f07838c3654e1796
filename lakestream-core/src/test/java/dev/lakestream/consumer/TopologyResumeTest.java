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
import static dev.lakestream.consumer.ReaderFixtures.EAGER;
import static dev.lakestream.consumer.ReaderFixtures.ROWS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.Refusal;
import dev.lakestream.store.MemoryStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where a job with another mesh than that of the stream goes on from. */
class TopologyResumeTest {

  /** Field fault B33: 37 batches with 4 ranks, then 2, 8 and 3. */
  @Test
  void b33ResumingWithAnotherNumberOfRanksIsExactOrRefused() {
    RecordStream stream =
        new RecordStream(new MemoryStore(), (step, d, c) -> 1 + (int) (step + d) % 3);
    stream.commit(new Mesh(4, 1), 8, 8, 8, 8, 8);
    Map<Integer, Cursor> saved = new HashMap<>();
    try (var job = stream.job(new Mesh(4, 1), EAGER)) {
      for (int step = 0; step < 37; step++) {
        job.next();
      }
      for (int rank = 0; rank < 4; rank++) {
        saved.put(rank, job.ranks().get(rank).cursor());
      }
    }
    Cursor cursor = Cursor.ofRanks(saved, 4);
    assertThat(cursor.step()).isEqualTo(37);
    for (int ranks : new int[] {2, 8, 3}) {
      Mesh mesh = new Mesh(ranks, 1);
      assertThatThrownBy(
              () ->
                  RankReader.resume(
                      stream.written().stream(), new RankPosition(mesh, 0, 0), cursor, EAGER))
          .isInstanceOf(MeshMismatchException.class)
          .hasMessageContaining("4 DP x CP ranks")
          .hasMessageContaining("(" + ranks + " ranks)");
      for (ReaderSettings settings : List.of(ROWS, BATCH)) {
        try (var job = stream.job(mesh, cursor, settings)) {
          int steps = settings == BATCH ? 3 : 12 / ranks;
          List<String> read = new ArrayList<>();
          for (int step = 0; step < steps; step++) {
            read.addAll(job.next());
          }
          long to = settings == BATCH ? 160 : 148 + (long) steps * ranks;
          assertThat(read).isEqualTo(stream.rows(148, to));
        }
      }
    }
    Map<Integer, Cursor> oneMissing = new HashMap<>(saved);
    oneMissing.remove(2);
    assertThatThrownBy(() -> Cursor.ofRanks(oneMissing, 4))
        .isInstanceOf(CursorsDisagreeException.class)
        .hasMessageContaining("ranks [2]");
    saved.put(
        3, new Cursor(stream.written().stream().id(), 2, 36, 144, cursor.mesh(), ReadMode.EXACT));
    assertThatThrownBy(() -> Cursor.ofRanks(saved, 4))
        .isInstanceOf(CursorsDisagreeException.class)
        .hasMessageContaining("rank 3");
  }

  @Test
  void acknowledgedStepsAndNotDeliveredOnesAreWhatTheJobGoesOnFrom() {
    RecordStream stream =
        new RecordStream(new MemoryStore(), (step, d, c) -> 1).commit(new Mesh(4, 1), 4, 4);
    RankPosition rank = RankPosition.of(3, 1, 0, 0);
    try (RankReader reader = RankReader.open(stream.written().stream(), rank, ROWS)) {
      assertThat(reader.acknowledged().row()).isZero();
      RankStep first = reader.next();
      RankStep second = reader.next();
      reader.next();
      assertThat(reader.acknowledged().row()).isZero();
      reader.acknowledge(second);
      assertThat(reader.acknowledged().row()).isEqualTo(6);
      assertThat(reader.acknowledged().step()).isEqualTo(1);
      reader.acknowledge(first); // comes late, and takes nothing back
      assertThat(reader.acknowledged()).isEqualTo(reader.cursorAfter(second));
      assertThat(reader.cursor().row()).isEqualTo(9);
      reader.seek(0);
      assertThat(reader.acknowledged().row()).isZero();
      assertThatThrownBy(() -> reader.acknowledge(second))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("step 0");
    }
  }

  @Test
  void aCursorInsideAStepIsRefusedByTheModesOfWholeSteps() {
    RecordStream stream =
        new RecordStream(new MemoryStore(), (step, d, c) -> 1).commit(new Mesh(4, 1), 4, 4);
    Cursor inside;
    try (RankReader reader =
        RankReader.open(stream.written().stream(), RankPosition.of(3, 1, 2, 0), ROWS)) {
      reader.next();
      reader.next();
      inside = reader.cursor();
    }
    assertThat(inside.row()).isEqualTo(6);
    for (ReaderSettings settings : List.of(EAGER, BATCH)) {
      assertThatThrownBy(
              () ->
                  RankReader.resume(
                      stream.written().stream(), RankPosition.of(3, 1, 2, 0), inside, settings))
          .isInstanceOfSatisfying(
              MeshMismatchException.class,
              e -> assertThat(e.refusal()).isEqualTo(Refusal.INSIDE_A_STEP))
          .hasMessageContaining("2 DP ranks");
    }
  }
}
