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
package dev.lakestream.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.ForeignCursorException;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.retention.Watermark.Kept;
import dev.lakestream.store.MemoryStore;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RankRecorderTest {

  private static final Mesh MESH = new Mesh(2, 1);

  private final WrittenStream written =
      WrittenStream.even(new MemoryStore(), MESH, 4).commit(16).commit(16).commit(16);
  private final TrainingStream stream = written.stream();
  private final Watermarks watermarks = new Watermarks(stream);

  private RankRecorder recorder(int rank, int world, long generation, int keep) {
    return new RankRecorder(stream, "train", rank, world, generation, keep);
  }

  private Cursor at(long step) {
    return new Cursor(stream.id(), 1, step, MESH);
  }

  @Test
  void theWatermarkIsTheOldestOfTheLastNCheckpoints() {
    RankRecorder recorder = recorder(0, 1, 0, 3);
    assertThat(recorder.record(at(5)).step()).isEqualTo(5);
    assertThat(recorder.record(at(10)).step()).isEqualTo(5);
    assertThat(recorder.record(at(15)).step()).isEqualTo(5);
    assertThat(recorder.record(at(20)).step()).isEqualTo(10);
    assertThat(watermarks.read("train", 0).orElseThrow().kept())
        .containsExactly(new Kept(1, 10), new Kept(1, 15), new Kept(1, 20));
  }

  @Test
  void aRankThatKeepsOneStandsAtItsCheckpoint() {
    RankRecorder recorder = recorder(0, 1, 0, 1);
    recorder.register(at(0));
    assertThat(recorder.record(at(5)).step()).isEqualTo(5);
  }

  @Test
  void aRestartKnowsWhatIsKept() {
    RankRecorder first = recorder(0, 1, 0, 2);
    first.register(at(0));
    first.record(at(5));
    first.record(at(10));
    RankRecorder restarted = recorder(0, 1, 0, 2);
    assertThat(restarted.register(at(10)).step()).isEqualTo(5);
    assertThat(restarted.record(at(15)).step()).isEqualTo(10);
  }

  @Test
  void goingBackToAnOlderCheckpointForgetsWhatCameAfterIt() {
    RankRecorder first = recorder(0, 1, 0, 3);
    first.record(at(5));
    first.record(at(10));
    first.record(at(15));
    RankRecorder restarted = recorder(0, 1, 0, 3);
    restarted.register(at(10));
    assertThat(restarted.kept()).extracting(Kept::step).containsExactly(5L, 10L);
    assertThat(restarted.record(at(12)).step()).isEqualTo(5);
    assertThat(restarted.kept()).extracting(Kept::step).containsExactly(5L, 10L, 12L);
  }

  @Test
  void aNewWorldInheritsTheCheckpointsOfTheOldOne() {
    for (int rank = 0; rank < 2; rank++) {
      RankRecorder old = recorder(rank, 2, 1, 2);
      old.record(at(5));
      old.record(at(10));
    }
    recorder(0, 1, 2, 2).register(at(10));
    // The new world, of one rank, is complete: rank 1 of the old one holds nothing any more.
    assertThat(GlobalWatermark.read(stream).step()).hasValue(5);
    assertThat(watermarks.ofGroup("train")).extracting(Watermark::rank).containsExactly(0);
  }

  @Test
  void aPastWorldDoesNotHoldAgainWhileTheNextOneIsHalfStarted() {
    for (int rank = 0; rank < 4; rank++) {
      recorder(rank, 4, 1, 1).record(at(5));
    }
    recorder(0, 1, 2, 1).record(at(30)); // generation 2 is complete
    recorder(0, 2, 3, 1).register(at(30)); // and its only object overwritten
    assertThat(GlobalWatermark.read(stream).step()).hasValue(30);
    recorder(1, 2, 3, 1).register(at(30));
    assertThat(GlobalWatermark.read(stream).step()).hasValue(30);
  }

  @Test
  void aLeftOverProcessOfAnOlderGenerationIsRefused() {
    RankRecorder old = recorder(0, 2, 1, 1);
    old.record(at(5));
    recorder(0, 1, 2, 1).register(at(5));
    assertThatThrownBy(() -> old.record(at(30)))
        .isInstanceOf(SupersededException.class)
        .hasMessageContaining("generation 1")
        .hasMessageContaining("generation 2")
        .hasMessageContaining("\"train\"");
    assertThat(GlobalWatermark.read(stream).step()).hasValue(5);
  }

  @Test
  void anotherNumberOfRanksInOneGenerationIsRefused() {
    recorder(0, 2, 1, 1).record(at(5));
    assertThatThrownBy(() -> recorder(0, 4, 1, 1).record(at(9)))
        .isInstanceOf(SupersededException.class)
        .hasMessageContaining("one of 4")
        .hasMessageContaining("one of 2")
        .hasMessageContaining("higher generation");
  }

  @Test
  void aStartThatIsReclaimedIsRefusedAndNothingIsRecorded() {
    written.trim(20);
    assertThatThrownBy(() -> recorder(0, 1, 0, 1).register(at(10)))
        .isInstanceOfSatisfying(
            TrimmedException.class, e -> assertThat(e.firstStepHeld()).isEqualTo(20));
    assertThat(watermarks.all()).isEmpty();
  }

  @Test
  void checkpointsThatAreReclaimedAreNotKept() {
    RankRecorder first = recorder(0, 1, 0, 3);
    first.record(at(5));
    first.record(at(25));
    written.trim(20);
    RankRecorder restarted = recorder(0, 1, 0, 3);
    assertThat(restarted.register(at(25)).step()).isEqualTo(25);
  }

  @Test
  void aCursorOfAnotherStreamIsRefused() {
    Cursor foreign = new Cursor(new UUID(9, 9), 1, 5, MESH);
    assertThatThrownBy(() -> recorder(0, 1, 0, 1).record(foreign))
        .isInstanceOf(ForeignCursorException.class);
  }

  @Test
  void keepingNothingIsRefused() {
    assertThatThrownBy(() -> recorder(0, 1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> recorder(0, 1, 0, 1025)).isInstanceOf(IllegalArgumentException.class);
  }
}
