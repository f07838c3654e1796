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
package dev.lakestream.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.StreamDrop;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Producers whose stream is dropped, and perhaps made anew, under them. */
class DroppedStreamTest {

  private static final StreamInfo NEXT =
      new StreamInfo(new UUID(3, 4), 2_000, new Mesh(2, 1), "raw", "", Map.of());

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://test", time);
  private Participant a;

  @BeforeEach
  void create() {
    TrainingStream.openOrCreate(memory, Chain.INFO, time);
    a = new Participant("a", memory, time); // manifest 1
    a.publish(); // manifest 2
  }

  private void drop() {
    StreamDrop.run(TrainingStream.open(memory, time));
  }

  private TrainingStream createNext() {
    return TrainingStream.openOrCreate(memory, NEXT, time);
  }

  private static void assertToldThatItIsGone(Participant participant) {
    assertThatThrownBy(participant::publish)
        .isInstanceOf(StreamDroppedException.class)
        .hasMessageContaining(Chain.INFO.id().toString())
        .hasMessageContaining("dropped")
        .hasMessageContaining("without state");
  }

  @Test
  void aRunningProducerLearnsThatItsStreamWasDropped() {
    drop();
    assertThat(memory.keys()).containsExactly(StreamKeys.manifest(3));
    assertToldThatItIsGone(a);
    assertThat(memory.keys()).containsExactly(StreamKeys.manifest(3));
    assertThatThrownBy(() -> TrainingStream.open(memory, time))
        .isInstanceOf(StreamNotFoundException.class);
  }

  @Test
  void aProducerThatSleptWhileOthersWentOnLearnsItToo() {
    Participant b = new Participant("b", memory, time);
    b.publish();
    b.publish();
    drop();
    assertToldThatItIsGone(a);
    assertToldThatItIsGone(b);
  }

  @Test
  void aNewStreamInThePlaceOfADroppedOneIsWhole() {
    drop();
    TrainingStream next = createNext();
    assertThat(next.id()).isEqualTo(NEXT.id());
    Participant b = new Participant("b", memory, time);
    assertThat(b.publish().firstStep()).hasValue(0);
    assertToldThatItIsGone(a);
    assertThat(b.publish().firstStep()).hasValue(1);
    Manifest head = TrainingStream.open(memory, time).log().newest();
    assertThat(head.streamId()).isEqualTo(NEXT.id());
    assertThat(head.steps()).isEqualTo(2);
  }

  @Test
  void aProducerThatWakesUpBelowTheReclaimedManifestsOfTheNextStreamLeavesItAlone() {
    drop();
    createNext();
    Participant b = new Participant("b", memory, time);
    for (int i = 0; i < 10; i++) {
      b.publish();
    }
    long head = TrainingStream.open(memory, time).log().newest().version();
    for (long version = 0; version < head; version++) {
      Futures.await(memory.delete(StreamKeys.manifest(version)));
    }
    assertToldThatItIsGone(a); // whose number was free
    assertThat(b.publish().firstStep()).hasValue(10);
  }

  @Test
  void aCommitThatIsUnderWayWhenTheStreamIsDroppedIsInItOrFails() {
    a.store
        .on(Op.CREATE, StreamKeys.manifest(3)::equals)
        .times(1)
        .answer(
            request -> {
              drop();
              createNext();
              return request.proceed();
            });
    assertToldThatItIsGone(a);
    assertThat(createNext().log().newest().steps()).isZero();
  }

  @Test
  void aDropThatLosesTheNumberToACommitTakesTheNext() {
    FaultyStore slow = new FaultyStore(memory, time);
    slow.on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              a.publish();
              return request.proceed();
            });
    StreamDrop.run(TrainingStream.open(slow, time));
    assertThat(memory.keys()).containsExactly(StreamKeys.manifest(4));
    assertToldThatItIsGone(a);
  }

  /** Field fault: a drop dies between any two of its requests. */
  @Test
  void aDropThatDiesAnywhereIsRepeatedAndNoStepIsUsedTwiceMeanwhile() {
    boolean finished = false;
    for (int deletes = 0; !finished; deletes++) {
      MemoryStore shared = new MemoryStore("mem://test", time);
      TrainingStream.openOrCreate(shared, Chain.INFO, time);
      Participant p = new Participant("p", shared, time);
      for (int i = 0; i < 3; i++) {
        p.publish();
      }
      FaultyStore dying = new FaultyStore(shared, time);
      dying.on(Op.DELETE).after(deletes).answer(Answer.denied());
      finished = finishes(() -> StreamDrop.run(TrainingStream.open(dying, time)));
      assertToldThatItIsGone(p);
      if (!finished) {
        // Not created again under its id, and clear to whoever opens it.
        TrainingStream half = TrainingStream.openOrCreate(shared, NEXT, time);
        assertThat(half.id()).isEqualTo(Chain.INFO.id());
        assertThatThrownBy(() -> half.log().newest())
            .isInstanceOf(StreamDroppedException.class)
            .hasMessageContaining("was interrupted: repeat it");
        StreamDrop.run(half);
      }
      TrainingStream next = TrainingStream.openOrCreate(shared, NEXT, time);
      assertThat(next.log().newest().streamId()).isEqualTo(NEXT.id());
      assertToldThatItIsGone(p);
      assertThat(next.log().newest().steps()).isZero();
    }
  }

  private static boolean finishes(Runnable drop) {
    try {
      drop.run();
      return true;
    } catch (StoreException died) {
      return false;
    }
  }

  /** Field fault: somebody empties the prefix with another tool while a job writes. */
  @Test
  void aProducerWhoseStreamWasDeletedByHandIsToldAndAWholeOneCanBeCreated() {
    memory.keys().forEach(key -> Futures.await(memory.delete(key)));
    assertToldThatItIsGone(a);
    assertThat(createNext().log().newest().streamId()).isEqualTo(NEXT.id());
    assertToldThatItIsGone(a);
    assertThat(new Participant("b", memory, time).publish().firstStep()).hasValue(0);
  }

  @Test
  void aStreamThatWasWrittenOverByAProducerOfADeletedOneDoesNotBeginAgainUnderItsId() {
    memory.keys().forEach(key -> Futures.await(memory.delete(key)));
    createNext();
    assertToldThatItIsGone(a);
    assertThatThrownBy(this::createNext)
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("drop the stream, and create it again");
    drop();
    StreamInfo third = new StreamInfo(new UUID(5, 6), 3_000, new Mesh(2, 1), "raw", "", Map.of());
    TrainingStream whole = TrainingStream.openOrCreate(memory, third, time);
    assertThat(whole.log().newest().streamId()).isEqualTo(third.id());
  }

  @Test
  void aCreatorThatSleptWhileItsStreamWasDroppedAndReplacedWritesNothing() {
    MemoryStore shared = new MemoryStore("mem://test", time);
    FaultyStore slow = new FaultyStore(shared, time);
    slow.on(Op.CREATE, StreamKeys.manifest(0)::equals)
        .times(1)
        .answer(
            request -> {
              StreamDrop.run(TrainingStream.open(shared, time));
              TrainingStream.openOrCreate(shared, NEXT, time);
              return request.proceed();
            });
    assertThatThrownBy(() -> TrainingStream.openOrCreate(slow, Chain.INFO, time))
        .isInstanceOf(StreamDroppedException.class);
    assertThat(TrainingStream.open(shared, time).log().newest().streamId()).isEqualTo(NEXT.id());
  }

  @Test
  void twoDropsAtOnceLeaveTheStreamThatIsCreatedAfterTheFirstAlone() {
    FaultyStore slow = new FaultyStore(memory, time);
    slow.on(Op.DELETE)
        .times(1)
        .answer(
            request -> {
              drop();
              createNext();
              new Participant("b", memory, time).publish();
              return request.proceed();
            });
    StreamDrop.run(TrainingStream.open(slow, time));
    Manifest head = TrainingStream.open(memory, time).log().newest();
    assertThat(head.streamId()).isEqualTo(NEXT.id());
    assertThat(head.steps()).isEqualTo(1);
  }

  @Test
  void aLookAtADroppedStreamCostsACommitNoRequest() {
    a.store.log().clear();
    a.publish();
    assertThat(a.store.log().count()).isEqualTo(3); // the next manifest, the create, the listing
  }
}
