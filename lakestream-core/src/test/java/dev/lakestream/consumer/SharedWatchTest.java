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
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The readers of a process that read the same stream. */
class SharedWatchTest {

  private final FaultyStore store = FaultyStore.inMemory();
  private final WrittenStream written = WrittenStream.even(store, new Mesh(8, 1), 64).commit(2);

  private List<RankReader> readers(ReaderSettings settings) {
    List<RankReader> readers = new ArrayList<>();
    for (int d = 0; d < 8; d++) {
      readers.add(RankReader.open(written.stream(), RankPosition.of(8, 1, d, 0), settings));
    }
    return readers;
  }

  private long polls() {
    return store.log().count(Op.READ_SUFFIX, StreamKeys.MANIFEST_PREFIX);
  }

  @Test
  void eightReadersThatWaitAskTheStoreAsOftenAsOne() throws Exception {
    Duration interval = Duration.ofMillis(60);
    ReaderSettings settings = EAGER.withPolling(interval, LONG);
    List<RankReader> readers = readers(settings);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<CompletableFuture<RankStep>> waiting = new ArrayList<>();
      for (RankReader reader : readers) {
        reader.next();
        reader.next();
        waiting.add(CompletableFuture.supplyAsync(reader::next, threads));
      }
      long begin = System.nanoTime();
      store.log().clear();
      Awaitility.await().until(() -> polls() >= 10);
      // Each look waits for half an interval at least, whoever asks.
      double intervals = (System.nanoTime() - begin) / (double) interval.toNanos();
      assertThat(polls()).isLessThanOrEqualTo((long) (2 * intervals) + 2);
      written.commit(1);
      for (CompletableFuture<RankStep> step : waiting) {
        assertThat(step.get().step()).isEqualTo(2);
      }
    } finally {
      readers.forEach(RankReader::close);
      threads.shutdownNow();
    }
  }

  @Test
  void whoJoinsOthersAsksForNoManifest() {
    ReaderSettings settings = EAGER.withPolling(LONG, LONG);
    try (RankReader first =
        RankReader.open(written.stream(), RankPosition.of(8, 1, 0, 0), settings)) {
      store.log().clear();
      first.next();
      // It looks ahead once by itself, at some moment after the step: that is not the others'
      // doing.
      Awaitility.await().until(() -> polls() == 1);
      store.log().clear();
      readers(settings).forEach(RankReader::close);
      assertThat(store.log().count()).isZero();
    }
  }

  @Test
  void anotherOneGoesOnAskingWhenTheOneThatAskedIsClosed() {
    ReaderSettings settings = EAGER.withPolling(Duration.ofMillis(5), LONG);
    List<RankReader> readers = readers(settings);
    for (RankReader reader : readers) {
      reader.next();
      reader.next();
      RecordStream.assertNothingMore(reader);
    }
    readers.subList(0, 7).forEach(RankReader::close);
    written.commit(1);
    try (RankReader last = readers.get(7)) {
      assertThat(last.next().step()).isEqualTo(2);
    }
  }

  @Test
  void aStoreThatFailsUnderOneReaderFailsForThatOneAlone() {
    ReaderSettings settings = EAGER.withPolling(Duration.ofMillis(5), LONG);
    FaultyStore other = new FaultyStore(store, Time.SYSTEM);
    try (RankReader failing =
            RankReader.open(TrainingStream.open(other), RankPosition.of(8, 1, 0, 0), settings);
        RankReader reader =
            RankReader.open(written.stream(), RankPosition.of(8, 1, 1, 0), settings)) {
      for (RankReader one : List.of(failing, reader)) {
        one.next();
        one.next();
      }
      other
          .on(Op.READ_SUFFIX, key -> key.startsWith(StreamKeys.MANIFEST_PREFIX))
          .answer(Answer.denied());
      assertThatThrownBy(failing::next)
          .isInstanceOf(UnreadableStepException.class)
          .hasMessageContaining("DENIED");
      written.commit(1);
      assertThat(reader.next().step()).isEqualTo(2);
      // What the one has found is there for the other, too.
      assertThat(failing.next().step()).isEqualTo(2);
    }
  }
}
