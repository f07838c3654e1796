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
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What holds for an outlet whatever the delivery guarantee: bounded memory and a free mailbox. */
@Timeout(60)
abstract class OutletContract {

  static final Mesh ONE = new Mesh(1, 1);
  static final int BATCH = 1000;

  /** What a bundle of one batch takes is a little more than the batch. */
  private static final int ROOM = 4;

  private static final long BUFFER = (ROOM + 1) * BATCH;

  final FaultyStore store = FaultyStore.inMemory();
  final TrainingStream stream = TrainingStream.openOrCreate(store, StreamInfo.create(ONE, "raw"));
  final QueuedMailbox mailbox = new QueuedMailbox();

  private final AtomicInteger uploads = new AtomicInteger();
  private final AtomicInteger mostUploads = new AtomicInteger();
  private final List<Outlet> opened = new ArrayList<>();

  abstract Outlet open(StagingSettings settings);

  final Outlet outlet(int maxSteps, int uploads) {
    return outlet(new StagingSettings(maxSteps, BUFFER, BUFFER, uploads, Compression.NONE));
  }

  final Outlet outlet(StagingSettings settings) {
    Outlet outlet = open(settings);
    opened.add(outlet);
    return outlet;
  }

  @AfterEach
  void close() {
    store.heal();
    opened.forEach(Outlet::close);
  }

  static GlobalBatch batch() {
    return batch(1);
  }

  static GlobalBatch batch(int records) {
    return GlobalBatch.of(ONE, List.of(Slice.of(new byte[BATCH], records)));
  }

  /** Each upload ends when the mailbox has run the mail that ends it. */
  private void uploadsEndInTheMailbox() {
    store
        .on(Op.PUT, key -> key.startsWith("data/"))
        .answer(
            request -> {
              mostUploads.accumulateAndGet(uploads.incrementAndGet(), Math::max);
              CompletableFuture<Void> turn = new CompletableFuture<>();
              mailbox.execute(
                  () -> {
                    uploads.decrementAndGet();
                    turn.complete(null);
                  },
                  "end an upload");
              return turn.thenCompose(ended -> request.proceed());
            });
  }

  /** Uploads that have begun end when the test says so. */
  final List<CompletableFuture<Void>> stalledUploads() {
    List<CompletableFuture<Void>> turns = new CopyOnWriteArrayList<>();
    store
        .on(Op.PUT, key -> key.startsWith("data/"))
        .answer(
            request -> {
              CompletableFuture<Void> turn = new CompletableFuture<>();
              turns.add(turn);
              return turn.thenCompose(ended -> request.proceed());
            });
    return turns;
  }

  @Test
  void memoryIsBoundedAndTheMailboxGoesOnWhileItIsUsedUp() throws Exception {
    uploadsEndInTheMailbox();
    Outlet outlet = outlet(1, 100);

    for (int i = 0; i < 50; i++) {
      outlet.add(batch(), 0);
    }

    assertThat(mostUploads).hasValueLessThanOrEqualTo(ROOM);
    assertThat(mailbox.yields()).isGreaterThan(40);
    outlet.flush();
    assertThat(outlet.sentBytes()).isGreaterThan(50 * BATCH);
    assertThat(store.log().count(Op.PUT, "data/")).isEqualTo(50);
  }

  @Test
  void bytesThatTheWriterHoldsElsewhereCountAsWell() throws Exception {
    uploadsEndInTheMailbox();
    Outlet outlet = outlet(1, 100);

    for (int i = 0; i < 10; i++) {
      outlet.add(batch(), BUFFER);
    }

    assertThat(mostUploads).hasValue(1);
  }

  @Test
  void anOpenBundleMakesRoomForWhatTheWriterHoldsElsewhere() throws Exception {
    uploadsEndInTheMailbox();
    Outlet outlet = outlet(100, 100);
    outlet.add(batch(), 0);
    outlet.add(batch(), 0);

    outlet.add(batch(), BUFFER - 2 * BATCH);

    assertThat(store.log().count(Op.PUT, "data/")).isEqualTo(1);
  }

  @Test
  void noMoreUploadsAtOnceThanWanted() throws Exception {
    uploadsEndInTheMailbox();
    Outlet outlet = outlet(1, 1);

    for (int i = 0; i < 5; i++) {
      outlet.add(batch(), 0);
    }
    outlet.flush();

    assertThat(mostUploads).hasValue(1);
  }

  /** The open bundle finds no upload to spare when the barrier comes. */
  @Test
  void theMailboxGoesOnWhileAFlushWaitsForAnUploadToSpare() throws Exception {
    uploadsEndInTheMailbox();
    Outlet outlet = outlet(2, 1);
    for (int i = 0; i < 3; i++) {
      outlet.add(batch(), 0);
    }

    outlet.flush();

    assertThat(store.log().count(Op.PUT, "data/")).isEqualTo(2);
  }

  /** It closes the open bundle, and even alone with that one it is too large. */
  @Test
  void theMailboxGoesOnWhileALargeBatchWaitsForTheOneBeforeIt() throws Exception {
    uploadsEndInTheMailbox();
    Outlet outlet = outlet(100, 100);
    outlet.add(batch(), 0);

    outlet.add(GlobalBatch.of(ONE, List.of(Slice.of(new byte[(int) BUFFER], 1))), 0);
    outlet.flush();

    assertThat(mostUploads).hasValue(1);
    assertThat(store.log().count(Op.PUT, "data/")).isEqualTo(2);
  }

  @Test
  void aFailedUploadFailsTheNextCallWithItsOwnType() throws Exception {
    store.on(Op.PUT).answer(Answer.denied());
    Outlet outlet = outlet(1, 4);
    outlet.add(batch(), 0);

    assertThatThrownBy(() -> outlet.add(batch(), 0)).isInstanceOf(StoreException.class);
  }

  /** As when a job is cancelled while the store does not answer. */
  @Test
  void aWriterThatWaitsForAStalledStoreCanBeInterruptedAndClosed() throws Exception {
    List<CompletableFuture<Void>> stalled = stalledUploads();
    Outlet outlet = outlet(1, 1);
    outlet.add(batch(), 0);
    outlet.add(batch(), 0); // full, and waits for an upload to spare
    List<Exception> ends = new ArrayList<>();
    Thread task =
        new Thread(
            () -> {
              try {
                outlet.add(batch(), 0);
              } catch (Exception e) {
                ends.add(e);
              }
              outlet.close();
            });
    task.start();
    await().until(() -> task.getState() == Thread.State.WAITING);
    assertThat(outlet.unpublishedSteps(0)).isEqualTo(2);

    task.interrupt();
    task.join();

    assertThat(ends).singleElement().isInstanceOf(InterruptedException.class);
    assertThat(stalled).hasSize(1);
  }
}
