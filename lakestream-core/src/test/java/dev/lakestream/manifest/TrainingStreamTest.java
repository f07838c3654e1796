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
package dev.lakestream.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TrainingStreamTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://test", time);
  private final FaultyStore store = new FaultyStore(memory, time);

  @Test
  void aStreamThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> TrainingStream.open(store, time))
        .isInstanceOf(StreamNotFoundException.class)
        .hasMessageContaining("mem://test");
  }

  @Test
  void whatWasCreatedIsOpened() {
    StreamInfo info =
        new StreamInfo(new UUID(1, 2), 5, new Mesh(4, 2), "records", "a INT", Map.of("k", "v"));
    TrainingStream.openOrCreate(store, info, time);
    TrainingStream stream = TrainingStream.open(store, time);
    assertThat(stream.info()).isEqualTo(info);
    assertThat(stream.log().newest().version()).isZero();
    assertThat(stream.log().newest().streamId()).isEqualTo(info.id());
  }

  @Test
  void whoComesSecondGetsTheStreamOfTheFirst() {
    TrainingStream first = TrainingStream.openOrCreate(store, info(1), time);
    TrainingStream second = TrainingStream.openOrCreate(store, info(2), time);
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.log().newest()).isEqualTo(first.log().newest());
  }

  @Test
  void theLoserOfTheRaceForTheStreamObjectTakesTheWinners() {
    // another creates it between our look and our create
    TrainingStream[] theirs = new TrainingStream[1];
    store
        .on(Op.CREATE, StreamKeys.STREAM::equals)
        .times(1)
        .answer(
            request -> {
              theirs[0] = TrainingStream.openOrCreate(memory, info(1), time);
              return request.proceed();
            });
    TrainingStream mine = TrainingStream.openOrCreate(store, info(2), time);
    assertThat(mine.id()).isEqualTo(theirs[0].id());
    assertThat(mine.log().newest()).isEqualTo(theirs[0].log().newest());
  }

  @Test
  void racingCreatorsAgree() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 50; round++) {
        MemoryStore shared = new MemoryStore();
        CyclicBarrier start = new CyclicBarrier(4);
        List<Future<TrainingStream>> racers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          StreamInfo wanted = info(i);
          Callable<TrainingStream> racer =
              () -> {
                start.await();
                return TrainingStream.openOrCreate(shared, wanted, Time.SYSTEM);
              };
          racers.add(threads.submit(racer));
        }
        Manifest newest = racers.get(0).get().log().newest();
        for (Future<TrainingStream> racer : racers) {
          assertThat(racer.get().id()).isEqualTo(newest.streamId());
          assertThat(racer.get().log().newest()).isEqualTo(newest);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void lostRepliesOfBothCreatesDoNotMatter() {
    for (Answer answer : List.of(Answer.lostReply(), Answer.serverError(), Answer.slowDown())) {
      MemoryStore empty = new MemoryStore("mem://x", time);
      FaultyStore faulty = new FaultyStore(empty, time);
      faulty.on(Op.CREATE, StreamKeys.STREAM::equals).times(2).answer(answer);
      faulty.on(Op.CREATE, StreamKeys.manifest(0)::equals).times(2).answer(answer);
      TrainingStream stream = TrainingStream.openOrCreate(faulty, info(1), time);
      assertThat(stream.id()).isEqualTo(info(1).id());
      assertThat(stream.log().newest().version()).isZero();
      assertThat(empty.keys()).containsExactly(StreamKeys.manifest(0), StreamKeys.STREAM);
    }
  }

  @Test
  void aCreateThatIsAppliedLateDoesNotMakeASecondStream() {
    store.on(Op.CREATE, StreamKeys.STREAM::equals).times(1).answer(Answer.appliedLate(3));
    TrainingStream stream = TrainingStream.openOrCreate(store, info(1), time);
    store.deliverHeld();
    assertThat(TrainingStream.open(store, time).info()).isEqualTo(stream.info());
  }

  @Test
  void aCreatorThatDiedBetweenTheTwoCreatesIsFinishedByTheNext() {
    store.on(Op.CREATE, StreamKeys.manifest(0)::equals).times(1).answer(Answer.denied());
    assertThatThrownBy(() -> TrainingStream.openOrCreate(store, info(1), time))
        .isInstanceOf(StoreException.class);
    TrainingStream stream = TrainingStream.openOrCreate(store, info(2), time);
    assertThat(stream.id()).isEqualTo(info(1).id());
    assertThat(stream.log().newest().version()).isZero();
  }

  @Test
  void aCreateThatStaysInConflictIsAnError() {
    store.on(Op.CREATE, StreamKeys.manifest(0)::equals).answer(Answer.conflict());
    assertThatThrownBy(() -> TrainingStream.openOrCreate(store, info(1), time))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(StreamKeys.manifest(0))
        .hasMessageContaining("409");
  }

  @Test
  void aPermanentFaultIsNotTriedAgain() {
    store.on(Op.CREATE).answer(Answer.denied());
    assertThatThrownBy(() -> TrainingStream.openOrCreate(store, info(1), time))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DENIED));
    assertThat(store.log().count(Op.CREATE)).isEqualTo(1);
    assertThat(time.slept()).isZero();
  }

  @Test
  void openingAnOldStreamWhoseFirstManifestsAreReclaimedMakesNoNewOnes() {
    Chain chain = new Chain(store, time);
    Manifest head = chain.grow(chain.first(), 20);
    chain.reclaim(0, 15);
    TrainingStream stream = TrainingStream.openOrCreate(store, info(9), time);
    assertThat(stream.log().newest()).isEqualTo(head);
    assertThat(memory.keys()).doesNotContain(StreamKeys.manifest(0));
  }

  @Test
  void aForeignObjectInTheStreamsPlaceIsRefused() {
    Futures.await(
        memory.put(
            StreamKeys.STREAM,
            Payload.of("{\"some\": \"json\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    assertThatThrownBy(() -> TrainingStream.open(store, time))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("The stream object of mem://test");
  }

  private static StreamInfo info(long id) {
    return new StreamInfo(new UUID(id, 1), 5, new Mesh(1, 1), "raw", "", Map.of());
  }
}
