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

import dev.lakestream.batch.Mesh;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultPlan;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.RetryingStore;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class RankReaderFaultTest {

  private static final Predicate<String> DATA = key -> key.startsWith("data/");
  private static final Predicate<String> MANIFESTS =
      key -> key.startsWith(StreamKeys.MANIFEST_PREFIX);

  private final MemoryStore memory = new MemoryStore();
  private final FaultyStore store = new FaultyStore(memory, Time.SYSTEM);

  /** A store that never answers, as long as it is told so. */
  private static Answer never() {
    return request -> new CompletableFuture<>();
  }

  @Test
  void bytesDamagedOnTheWayOnceAreFetchedAgain() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(2, 1)).commit(5, 5);
    store.on(Op.READ, DATA).after(1).times(1).answer(Answer.corrupted());
    try (RankReader reader = reader(written, 2, 1, 1, 0)) {
      assertThat(read(reader, 10)).isEqualTo(expected(0, 10, 1, 0));
    }
  }

  @Test
  void bytesDamagedInTheStoreAreAnErrorWithKeyAndRange() {
    WrittenStream written = WrittenStream.even(store, new Mesh(2, 1), 400).commit(1, 1);
    String object = written.head().tail().get(1).bundle().object();
    byte[] bytes = memory.bytes(object);
    bytes[bytes.length / 2 - 100] ^= 1; // in the first section
    Futures.await(memory.put(object, Payload.of(bytes)));
    try (RankReader reader = reader(written, 2, 1, 0, 0)) {
      reader.next();
      for (int again = 0; again < 2; again++) {
        assertThatThrownBy(reader::next)
            .isInstanceOfSatisfying(
                UnreadableStepException.class, e -> assertThat(e.step()).isEqualTo(1))
            .hasCauseInstanceOf(CorruptObjectException.class)
            .hasMessageContaining(object)
            .hasMessageContaining("bytes 8 to ");
      }
      assertThat(reader.cursor().step()).isEqualTo(1);
    }
    try (RankReader untouched = reader(written, 2, 1, 1, 0)) {
      read(untouched, 2);
    }
  }

  @Test
  void aBundleCutShortIsAnErrorWithKeyAndRange() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 2), 400).commit(2);
    String object = written.head().tail().get(0).bundle().object();
    store.on(Op.READ, DATA).answer(Answer.truncatedTo(500));
    try (RankReader reader = reader(written, 1, 2, 0, 1)) {
      assertThatThrownBy(reader::next)
          .isInstanceOf(UnreadableStepException.class)
          .satisfies(e -> assertThat(StoreException.is(e.getCause(), Fault.OUT_OF_RANGE)).isTrue())
          .hasMessageContaining(object)
          .hasMessageContaining("has only 500 bytes");
    }
  }

  @Test
  void aMissingBundleIsAnErrorThatNamesIt() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1, 1);
    String object = written.head().tail().get(1).bundle().object();
    Futures.await(memory.delete(object));
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      reader.next();
      assertThatThrownBy(reader::next)
          .isInstanceOf(UnreadableStepException.class)
          .hasMessageContaining(object);
    }
  }

  @Test
  void aFailureIsHandedOutAfterTheStepsBeforeItAndTheReaderRecovers() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(2, 2).commit(2);
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      store
          .on(Op.READ, key -> key.equals(written.head().tail().get(1).bundle().object()))
          .answer(Answer.denied());
      assertThat(read(reader, 2)).isEqualTo(expected(0, 2, 0, 0));
      assertThatThrownBy(reader::next)
          .isInstanceOf(UnreadableStepException.class)
          .hasMessageContaining("Step 2");
      store.heal();
      assertThat(read(reader, 4)).isEqualTo(expected(2, 6, 0, 0));
    }
  }

  @Test
  void aStoreThatDoesNotAnswerIsATimeoutThatNamesTheStage() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 64).commit(1);
    ReaderSettings hasty = EAGER.withPolling(Duration.ofMillis(5), Duration.ofMillis(200));
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), hasty)) {
      store.on(Op.READ, DATA).times(1).answer(never());
      assertThatThrownBy(() -> reader.poll(SHORT))
          .isInstanceOfSatisfying(
              ReadTimeoutException.class, e -> assertThat(e.stage()).isEqualTo(Stage.FETCH))
          .hasMessageContaining("Step 0")
          .hasMessageContaining(written.head().tail().get(0).bundle().object());
      reader.seek(0);
      assertThat(reader.next().step()).isZero();

      store.on(Op.READ_SUFFIX, MANIFESTS).answer(never());
      assertThatThrownBy(() -> reader.poll(SHORT))
          .isInstanceOfSatisfying(
              ReadTimeoutException.class, e -> assertThat(e.stage()).isEqualTo(Stage.MANIFEST));
    }
  }

  @Test
  void segmentsThatDoNotComeAreNamedAsTheStage() {
    WrittenStream written = WrittenStream.even(memory, new Mesh(1, 1), 8);
    for (int i = 0; i < 70; i++) {
      written.commit(1);
    }
    store.on(Op.READ, key -> key.startsWith(StreamKeys.SEGMENT_PREFIX)).answer(never());
    try (RankReader reader = RankReader.open(store, RankPosition.of(1, 1, 0, 0))) {
      // On a busy machine the first calls may end before the newest manifest is known.
      assertThatThrownBy(
              () -> {
                for (int call = 0; call < 100; call++) {
                  assertThat(reader.poll(SHORT)).isEmpty();
                }
              })
          .isInstanceOfSatisfying(
              ReadTimeoutException.class, e -> assertThat(e.stage()).isEqualTo(Stage.LOOKUP));
    }
  }

  @Test
  void aStreamThatPausesIsNotATimeout() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1);
    store.on(Op.READ_SUFFIX, MANIFESTS).answer(Answer.delay(Duration.ofMillis(10)));
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      reader.next();
      for (int i = 0; i < 20; i++) {
        assertThat(reader.poll(Duration.ofMillis(7))).isEmpty();
      }
    }
  }

  /** Field fault B35: the stream stops for longer than anybody polls, and goes on. */
  @Test
  void b35AStreamThatStopsInTheMiddleHoldsNobodyUpAndGoesOnWithTheNextStep() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(2, 1)).commit(3);
    List<RankReader> ranks = List.of(reader(written, 2, 1, 0, 0), hasty(written, 2, 1, 1, 0));
    for (int d = 0; d < 2; d++) {
      requireSteps(ranks.get(d), 0, 3, d);
    }
    for (int poll = 0; poll < 3; poll++) {
      for (RankReader rank : ranks) {
        assertThat(rank.poll(Duration.ofMillis(20))).isEmpty();
      }
    }
    assertThatThrownBy(ranks.get(1)::next)
        .isInstanceOfSatisfying(
            ReadTimeoutException.class, e -> assertThat(e.stage()).isEqualTo(Stage.NEW_STEP))
        .hasMessageContaining("step 3");

    written.commit(2);
    for (int d = 0; d < 2; d++) {
      requireSteps(ranks.get(d), 3, 5, d);
      ranks.get(d).close();
    }
  }

  private static void requireSteps(RankReader rank, int from, int to, int d) {
    for (int step = from; step < to; step++) {
      assertThat(rank.poll(LONG).orElseThrow().slice().bytes())
          .isEqualTo(WrittenStream.unevenSlice(step, d, 0).bytes());
    }
  }

  private static RankReader hasty(WrittenStream written, int dp, int cp, int d, int c) {
    RankPosition position = RankPosition.of(dp, cp, d, c);
    return RankReader.open(written.stream(), position, EAGER.withTimeout(SHORT));
  }

  /** Field fault B35: the step is published, and the store stops in the middle of it. */
  @Test
  void b35AStepWhoseBytesStopComingIsATimeoutThatNamesFetchAndThenComes() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 64).commit(1, 1, 1);
    CompletableFuture<Void> resumed = new CompletableFuture<>();
    String second = written.head().tail().get(1).bundle().object();
    store
        .on(Op.READ, second::equals)
        .times(1)
        .answer(request -> resumed.thenCompose(ignored -> request.proceed()));
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      assertThat(reader.next().step()).isZero();
      for (int poll = 0; poll < 2; poll++) {
        assertThatThrownBy(() -> reader.poll(SHORT))
            .isInstanceOfSatisfying(
                ReadTimeoutException.class, e -> assertThat(e.stage()).isEqualTo(Stage.FETCH))
            .hasMessageContaining("Step 1")
            .hasMessageContaining(second);
      }
      resumed.complete(null);
      assertThat(reader.next().step()).isEqualTo(1);
      assertThat(reader.next().step()).isEqualTo(2);
    }
  }

  @Test
  void randomFaultsOfABusyStoreNeverReachTheRank() {
    for (int seed = 1; seed <= 5; seed++) {
      FaultyStore busy = FaultyStore.inMemory();
      WrittenStream written = WrittenStream.uneven(busy, new Mesh(1, 2));
      for (int i = 0; i < 30; i++) {
        written.commit(1, 3);
      }
      busy.install(FaultPlan.seeded(seed, 0.1));
      RetryingStore retrying =
          RetryingStore.around(busy).backoff(Duration.ofMillis(1), Duration.ofMillis(4)).build();
      try (RankReader reader = RankReader.open(retrying, RankPosition.of(1, 2, 0, 1))) {
        assertThat(read(reader, 120)).isEqualTo(expected(0, 120, 0, 1));
      }
    }
  }

  /** Field fault B37, as far as a store's client leaves it to the reader. */
  @Test
  void b37ARangeThatKeepsComingShortIsAnErrorWithKeyAndOnceIsNone() {
    WrittenStream written = WrittenStream.even(store, new Mesh(2, 1), 400).commit(2, 2);
    RetryingStore retrying =
        RetryingStore.around(store)
            .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
            .maxElapsed(Duration.ofMillis(100))
            .build();
    String object = written.head().tail().get(1).bundle().object();
    store.on(Op.READ, object::equals).times(1).answer(Answer.shortReply());
    RankPosition rank = RankPosition.of(2, 1, 1, 0);
    try (RankReader reader = RankReader.open(retrying, rank)) {
      for (int step = 0; step < 4; step++) {
        assertThat(reader.next().slice().bytes())
            .isEqualTo(ByteBuffer.wrap(WrittenStream.bytes(step, 1, 0, 400)));
      }
    }
    store.on(Op.READ, object::equals).answer(Answer.shortReply());
    try (RankReader reader = RankReader.open(retrying, rank)) {
      reader.next();
      reader.next();
      assertThatThrownBy(reader::next)
          .isInstanceOf(UnreadableStepException.class)
          .satisfies(e -> assertThat(StoreException.is(e.getCause(), Fault.SHORT_REPLY)).isTrue())
          .hasMessageContaining(object);
      assertThat(reader.cursor().step()).isEqualTo(2);
    }
  }

  @Test
  void segmentsReclaimedUnderAReaderSendItToTheNewestManifest() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 64);
    for (int i = 0; i < 80; i++) {
      written.commit(1);
    }
    ReaderSettings asleep = EAGER.withPolling(Duration.ofSeconds(20), Duration.ofSeconds(30));
    TrainingStream opened = TrainingStream.open(store); // remembers no segments
    try (RankReader reader = RankReader.open(opened, RankPosition.of(1, 1, 0, 0), asleep)) {
      var old = written.stream().history(written.head()).segments();
      for (int i = 0; i < 80; i++) {
        written.commit(1);
      }
      var live = written.stream().history(written.head()).segments();
      var gone = old.stream().filter(segment -> !live.contains(segment)).toList();
      assertThat(gone).isNotEmpty();
      gone.forEach(segment -> Futures.await(memory.delete(segment.object())));
      for (int step = 0; step < 160; step++) {
        assertThat(reader.next().step()).isEqualTo(step);
      }
    }
  }

  @Test
  void aBundleThatIsGoneIsLookedForInTheNewestManifestAndTrimmedOnlyBelowTheTrim() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 64).commit(1, 1, 1);
    ReaderSettings asleep = EAGER.withPolling(Duration.ofSeconds(20), Duration.ofSeconds(30));
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), asleep)) {
      var bundles = written.head().tail();
      written.trim(2);
      for (int bundle = 0; bundle < 2; bundle++) {
        Futures.await(memory.delete(bundles.get(bundle).bundle().object()));
      }
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              TrimmedException.class, e -> assertThat(e.firstStepHeld()).isEqualTo(2));
      reader.seek(2);
      assertThat(reader.next().step()).isEqualTo(2);
    }
  }

  @Test
  void throttlingThatTheRetriesAbsorbMakesTheReaderAskForLess() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 64);
    for (int i = 0; i < 60; i++) {
      written.commit(1);
    }
    RetryingStore retrying =
        RetryingStore.around(store).backoff(Duration.ofMillis(1), Duration.ofMillis(2)).build();
    store.on(Op.READ, DATA).answer(Answer.delay(Duration.ofMillis(20)));
    try (RankReader reader = RankReader.open(retrying, RankPosition.of(1, 1, 0, 0))) {
      read(reader, 30);
      store.on(Op.READ, DATA).times(8).answer(Answer.slowDown());
      int most = reader.stats().fetchLimit();
      int leastAfter = most;
      for (int i = 0; i < 30; i++) {
        reader.next();
        int limit = reader.stats().fetchLimit();
        leastAfter = limit > most ? limit : Math.min(leastAfter, limit);
        most = Math.max(most, limit);
      }
      assertThat(most).isGreaterThanOrEqualTo(2);
      assertThat(leastAfter).isLessThanOrEqualTo(most / 2 + 1);
      assertThat(retrying.throttles()).isEqualTo(8);
    }
  }

  @Test
  void oneLineSaysWhereTheTimeWentAndNamesTheSlowestStage() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 64).commit(1, 1, 1, 1);
    store.on(Op.READ, DATA).answer(Answer.delay(Duration.ofMillis(150)));
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      read(reader, 4);
      assertThat(reader.stats().slowest()).isEqualTo(Stage.FETCH);
      assertThat(reader.whereTimeWent())
          .startsWith("Most of ")
          .contains("for 4 steps went to fetch")
          .contains("4 requests")
          .doesNotContain("\n");
    }
  }
}
