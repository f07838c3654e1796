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
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermark.Kind;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Time;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GroupClaimTest {

  private static final Mesh MESH = new Mesh(2, 1);
  private static final String RANK_0 = "watermark/train/0";

  private final MemoryStore memory = new MemoryStore();
  private final FaultyStore store = new FaultyStore(memory, Time.SYSTEM);
  private final TrainingStream stream;
  private final Watermarks watermarks;
  private final GroupClaim source;

  GroupClaimTest() {
    WrittenStream.even(memory, MESH, 4).commit(16).commit(16).commit(16);
    stream = TrainingStream.open(store);
    watermarks = new Watermarks(stream);
    source = new GroupClaim(stream, "train", Kind.FLINK_SOURCE);
  }

  private RankRecorder rank(int rank, int world) {
    return new RankRecorder(stream, "train", rank, world, 1, 1);
  }

  private Cursor at(long step) {
    return new Cursor(stream.id(), 1, step, MESH);
  }

  private Watermark sourceAt(long step) {
    return new Watermark(
        stream.id(), "train", 0, 1, 0, 1, step, Optional.empty(), 5, Kind.FLINK_SOURCE);
  }

  private long held() {
    return GlobalWatermark.read(stream).step().orElseThrow();
  }

  @Test
  void aSourceRecordsAgainAndAgainAndGoesOnAfterARestart() {
    source.record(sourceAt(3));
    source.record(sourceAt(5));
    new GroupClaim(stream, "train", Kind.FLINK_SOURCE).record(sourceAt(9));
    assertThat(watermarks.read("train", 0)).contains(sourceAt(9));
  }

  @Test
  void aSourceIsRefusedTheNameOfATrainingGroup() {
    Watermark training = rank(0, 1).register(at(7));
    assertThatThrownBy(() -> source.record(sourceAt(30)))
        .isInstanceOf(GroupTakenException.class)
        .hasMessageContaining("Group \"train\"")
        .hasMessageContaining("a training job (RANK)")
        .hasMessageContaining("a Flink source (FLINK_SOURCE)")
        .hasMessageContaining("scan.consumer-group")
        .hasMessageContaining("--drop train");
    assertThat(watermarks.all()).containsExactly(training);
  }

  @Test
  void anyRankOfTheTrainingGroupIsSeen() {
    Watermark training = rank(3, 4).register(at(7));
    assertThatThrownBy(() -> source.record(sourceAt(30))).isInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(training);
  }

  @Test
  void everyRankIsRefusedTheNameOfASource() {
    source.record(sourceAt(3));
    for (int rank = 0; rank < 3; rank++) {
      RankRecorder recorder = rank(rank, 3);
      assertThatThrownBy(() -> recorder.register(at(30)))
          .isInstanceOf(GroupTakenException.class)
          .hasMessageContaining("is that of a Flink source (FLINK_SOURCE)");
    }
    assertThat(watermarks.all()).containsExactly(sourceAt(3));
    watermarks.drop("train");
    assertThat(rank(0, 1).register(at(7)).step()).isEqualTo(7);
  }

  @Test
  void aRankThatCameWhileTheSourceWasAtWorkIsNotOverwritten() {
    source.record(sourceAt(3));
    watermarks.drop("train");
    Watermark training = rank(0, 1).register(at(2));
    assertThatThrownBy(() -> source.record(sourceAt(30))).isInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(training);
  }

  @Test
  void aSourceThatCameWhileARankWasAtWorkIsNotOverwritten() {
    RankRecorder rank = rank(0, 1);
    rank.register(at(2));
    watermarks.drop("train");
    source.record(sourceAt(3));
    assertThatThrownBy(() -> rank.record(at(30))).isInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(sourceAt(3));
  }

  /** The other kind comes between the look and the first record. */
  private void beforeTheCreate(Runnable other) {
    store
        .on(Op.CREATE, RANK_0::equals)
        .times(1)
        .answer(
            request -> {
              other.run();
              return request.proceed();
            });
  }

  @Test
  void ofASourceAndARankZeroThatBeginAtOnceTheLaterOneIsRefused() {
    beforeTheCreate(() -> rank(0, 1).register(at(7)));
    assertThatThrownBy(() -> source.record(sourceAt(30))).isInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).extracting(Watermark::kind).containsExactly(Kind.RANK);

    watermarks.drop("train");
    beforeTheCreate(() -> source.record(sourceAt(7)));
    assertThatThrownBy(() -> rank(0, 1).register(at(30))).isInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(sourceAt(7));
  }

  @Test
  void ofASourceAndAHigherRankThatBeginAtOnceOneIsRefusedAndNoHistoryIsLost() {
    beforeTheCreate(() -> rank(1, 2).register(at(7)));
    assertThatThrownBy(() -> source.record(sourceAt(30))).isInstanceOf(GroupTakenException.class);
    assertThat(held()).isEqualTo(7);

    watermarks.drop("train");
    store
        .on(Op.CREATE, "watermark/train/1"::equals)
        .times(1)
        .answer(
            request -> {
              source.record(sourceAt(3));
              return request.proceed();
            });
    assertThatThrownBy(() -> rank(1, 2).register(at(30))).isInstanceOf(GroupTakenException.class);
    assertThat(held()).isEqualTo(3);
  }

  @Test
  void aGroupThatWasSetByHandIsOfWhoeverRecordsNext() {
    watermarks.set("train", 4);
    source.record(sourceAt(6));
    assertThat(watermarks.set("train", 5).kind()).isEqualTo(Kind.FLINK_SOURCE);
    source.record(sourceAt(9));
    assertThat(watermarks.all()).containsExactly(sourceAt(9));

    watermarks.drop("train");
    watermarks.set("train", 4);
    rank(0, 2).register(at(6));
    assertThatThrownBy(() -> source.record(sourceAt(30))).isInstanceOf(GroupTakenException.class);
  }

  @Test
  void aTrainingGroupThatWasSetByHandIsStillOne() {
    rank(0, 1).register(at(7));
    watermarks.set("train", 4);
    assertThatThrownBy(() -> source.record(sourceAt(30))).isInstanceOf(GroupTakenException.class);
    assertThat(held()).isEqualTo(4);
    assertThat(rank(0, 1).register(at(9)).step()).isEqualTo(9);
  }

  @Test
  void aFirstRecordWhoseReplyIsLostIsThere() {
    store.on(Op.CREATE, RANK_0::equals).times(1).answer(Answer.lostReply());
    source.record(sourceAt(3));
    assertThat(watermarks.all()).containsExactly(sourceAt(3));
  }

  @Test
  void aFirstRecordThatTheStorePutsOffIsSentAgain() {
    store.on(Op.CREATE, RANK_0::equals).times(2).answer(Answer.conflict());
    source.record(sourceAt(3));
    assertThat(watermarks.all()).containsExactly(sourceAt(3));
  }

  @Test
  void aFirstRecordThatTheStoreNeverTakesFails() {
    store.on(Op.CREATE, RANK_0::equals).answer(Answer.conflict());
    assertThatThrownBy(() -> source.record(sourceAt(3)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("\"train\"");
  }
}
