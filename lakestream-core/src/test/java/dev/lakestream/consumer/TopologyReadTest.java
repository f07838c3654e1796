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

import static dev.lakestream.consumer.RankReaderTest.EAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.Refusal;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reading with another mesh than that of the stream. */
class TopologyReadTest {

  private static final ReaderSettings ROWS = EAGER.withMode(ReadMode.ROWS);
  private static final ReaderSettings BATCH = EAGER.withMode(ReadMode.BATCH);

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
      try (var job =
          new RecordStream.Job(reader, p -> RankReader.open(stream.written().stream(), p, ROWS))) {
        List<String> read = new ArrayList<>();
        long rows = stream.written().head().nextRow();
        for (int step = 0; step < rows / reader.dp(); step++) {
          read.addAll(job.next());
        }
        assertThat(read).isEqualTo(stream.rows(0, rows / reader.dp() * reader.dp()));
        for (RankReader rank : job.ranks()) {
          RecordStream.assertNothingMore(rank);
        }
      }
    }
  }

  @Test
  void theRecordsOfAStepAreSplitOverAnyNumberOfReplicas() {
    FaultyStore store = FaultyStore.inMemory();
    RecordStream stream = changing(store);
    for (int[] mesh : new int[][] {{1, 1}, {2, 3}, {3, 2}, {5, 1}, {8, 2}}) {
      Mesh reader = new Mesh(mesh[0], mesh[1]);
      try (var job =
          new RecordStream.Job(reader, p -> RankReader.open(stream.written().stream(), p, BATCH))) {
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
  void aTokenStreamIsReadInChunksOfAnotherNumber() {
    Mesh written = new Mesh(2, 2);
    int length = 16;
    WrittenStream stream =
        new WrittenStream(
                new MemoryStore(), written, "tokens", (step, d, c) -> tokens(step, d, c, 2, length))
            .commit(2, 1);
    for (int cp : new int[] {1, 2, 4, 8}) {
      for (ReaderSettings settings : List.of(ROWS, BATCH)) {
        for (int c = 0; c < cp; c++) {
          RankPosition position = RankPosition.of(2, cp, 1, c);
          try (RankReader reader = RankReader.open(stream.stream(), position, settings)) {
            for (int step = 0; step < 3; step++) {
              Slice slice = reader.next().slice();
              assertThat(slice).isEqualTo(tokens(step, 1, c, cp, length));
            }
          }
        }
      }
    }
    RankPosition odd = RankPosition.of(2, 32, 0, 0);
    try (RankReader reader = RankReader.open(stream.stream(), odd, ROWS)) {
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              MeshMismatchException.class,
              e -> assertThat(e.refusal()).isEqualTo(Refusal.SEQUENCE_DOES_NOT_DIVIDE));
    }
  }

  private static Slice tokens(long step, int d, int c, int chunks, int length) {
    List<List<TokenSegment>> sequences = new ArrayList<>();
    for (int i = 0; i <= d; i++) {
      int[] tokens = new int[length - 3 * i];
      for (int t = 0; t < tokens.length; t++) {
        tokens[t] = (int) (step * 1000 + d * 100 + i * 20 + t);
      }
      sequences.add(List.of(new TokenSegment(step * 10 + i, 0, IntBuffer.wrap(tokens))));
    }
    TokenFormat format = new TokenFormat(length, chunks, TokenWidth.U16, 0);
    return new Slice(TokenSlice.encode(format, c, sequences), sequences.size());
  }

  @Test
  void opaqueSlicesOfNeighbouringChunksAreReadOneAfterTheOtherAndNeverSplit() {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(2, 4)).commit(2, 3);
    try (RankReader reader = RankReader.open(written.stream(), RankPosition.of(2, 2, 1, 1), ROWS)) {
      for (int step = 0; step < 5; step++) {
        ByteBuffer joined = ByteBuffer.allocate(200);
        joined.put(WrittenStream.unevenSlice(step, 1, 2).bytes());
        joined.put(WrittenStream.unevenSlice(step, 1, 3).bytes());
        assertThat(reader.next().slice().bytes()).isEqualTo(joined.flip());
      }
    }
    for (ReaderSettings settings : List.of(ROWS, BATCH)) {
      RankPosition finer = RankPosition.of(2, 8, 0, 0);
      try (RankReader reader = RankReader.open(written.stream(), finer, settings)) {
        assertThatThrownBy(reader::next)
            .isInstanceOfSatisfying(
                MeshMismatchException.class,
                e -> assertThat(e.refusal()).isEqualTo(Refusal.NEEDS_RECORDS))
            .hasMessageContaining("Step 0");
      }
    }
  }

  @Test
  void partsOfArrowSlicesAreHandedOutAsTheyAre() {
    WrittenStream written =
        new WrittenStream(
                new MemoryStore(),
                new Mesh(2, 1),
                "arrow",
                (step, d, c) -> Slice.of(new byte[] {(byte) d}, 10))
            .commit(1);
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(3, 1, 1, 0), BATCH)) {
      RankStep step = reader.next();
      assertThat(step.parts()).hasSize(2);
      assertThat(step.parts().get(0).part().fromRecord()).isEqualTo(6);
      assertThat(step.parts().get(0).part().toRecord()).isEqualTo(10);
      assertThat(step.parts().get(1).part().toRecord()).isEqualTo(3);
      assertThat(step.parts().get(1).slice().bytes().get(0)).isEqualTo((byte) 1);
      assertThatThrownBy(step::slice)
          .isInstanceOf(LakestreamException.class)
          .hasMessageContaining("parts()");
    }
  }

  @Test
  void rowsThatDoNotFillAConsumerStepWaitForMore() {
    RecordStream stream =
        new RecordStream(new MemoryStore(), (step, d, c) -> 1).commit(new Mesh(2, 1), 2);
    try (var job =
        new RecordStream.Job(
            new Mesh(3, 1), p -> RankReader.open(stream.written().stream(), p, ROWS))) {
      assertThat(job.next()).isEqualTo(stream.rows(0, 3));
      for (RankReader rank : job.ranks()) {
        RecordStream.assertNothingMore(rank);
      }
      stream.commit(new Mesh(2, 1), 1);
      assertThat(job.next()).isEqualTo(stream.rows(3, 6));
      Cursor cursor = job.ranks().get(1).cursor();
      assertThat(cursor.step()).isEqualTo(3);
      assertThat(cursor.row()).isEqualTo(6);
    }
  }

  /** Field fault B33: 37 batches with 4 ranks, then 2, 8 and 3. */
  @Test
  void b33ResumingWithAnotherNumberOfRanksIsExactOrRefused() {
    RecordStream stream =
        new RecordStream(new MemoryStore(), (step, d, c) -> 1 + (int) (step + d) % 3);
    stream.commit(new Mesh(4, 1), 8, 8, 8, 8, 8);
    Map<Integer, Cursor> saved = new HashMap<>();
    try (var job =
        new RecordStream.Job(
            new Mesh(4, 1), p -> RankReader.open(stream.written().stream(), p, EAGER))) {
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
        try (var job =
            new RecordStream.Job(
                mesh, p -> RankReader.resume(stream.written().stream(), p, cursor, settings))) {
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
    try (var job = job(stream, 4, ROWS)) {
      List<String> read = new ArrayList<>();
      for (int step = 0; step < 25; step++) {
        read.addAll(job.next());
      }
      assertThat(read).isEqualTo(stream.rows(0, 100));
      requireNoStep(job);
      end = job.cursor();
      assertThat(end.row()).isEqualTo(100);

      stream.commit(new Mesh(1, 1), 2);
      requireNoStep(job);
      stream.commit(new Mesh(1, 1), 1);
      assertThat(job.next()).isEqualTo(stream.rows(100, 104));
      requireNoStep(job);
    }
    try (var single =
        new RecordStream.Job(
            new Mesh(1, 1), p -> RankReader.resume(stream.written().stream(), p, end, ROWS))) {
      assertThat(single.next()).as("a later D' that fits").isEqualTo(stream.rows(100, 101));
    }
  }

  /** Field fault B35: as many records as do not divide, in every step. */
  @Test
  void b35InModeBatch101RowsOfAStepAre26ForOneRankAnd25ForTheOthersInAsManySteps() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 1);
    stream.commit(new Mesh(101, 1), 2, 1);
    try (var job = job(stream, 4, BATCH)) {
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
      requireNoStep(job);
      assertThat(job.cursor().step()).isEqualTo(3);
    }
  }

  /** Field fault B35: 101 steps of one row each; three of the four ranks have nothing to do. */
  @Test
  void b35InModeBatch101StepsOfOneRowAre101StepsForEachOf4Ranks() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 1);
    stream.commit(new Mesh(1, 1), 40, 60, 1);
    try (var job = job(stream, 4, BATCH)) {
      List<String> read = new ArrayList<>();
      for (int step = 0; step < 101; step++) {
        read.addAll(job.next());
      }
      assertThat(read).isEqualTo(stream.rows(0, 101));
      requireNoStep(job);
    }
  }

  private static RecordStream.Job job(RecordStream stream, int ranks, ReaderSettings settings) {
    return new RecordStream.Job(
        new Mesh(ranks, 1), p -> RankReader.open(stream.written().stream(), p, settings));
  }

  private static void requireNoStep(RecordStream.Job job) {
    for (RankReader rank : job.ranks()) {
      RecordStream.assertNothingMore(rank);
    }
  }

  @Test
  void aConsumerStepWithARowThatCannotBeReadIsRefusedByAllItsRanks() {
    RecordStream stream = new RecordStream(new MemoryStore(), (step, d, c) -> 2);
    stream.commit(new Mesh(2, 2), 2, 1).commit(new Mesh(1, 3), 1); // rows 0 to 5, and row 6
    try (var job =
        new RecordStream.Job(
            new Mesh(4, 2), p -> RankReader.open(stream.written().stream(), p, ROWS))) {
      assertThat(job.next()).isEqualTo(stream.rows(0, 4));
      requireNoStep(job); // It lacks a row: nobody knows yet what it is.

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
      requireNoStep(job);
      stream.commit(new Mesh(2, 2), 1); // rows 9 and 10
      assertThat(job.next()).isEqualTo(stream.rows(7, 11));
    }
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
