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

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.BundleStager;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;

class StagingOutletTest {

  private static final Mesh ONE = new Mesh(1, 1);
  private static final int BATCH = 1000;
  private static final long BUFFER = 4 * BATCH;

  private final FaultyStore store = FaultyStore.inMemory();
  private final TrainingStream stream =
      TrainingStream.openOrCreate(store, StreamInfo.create(ONE, "raw"));
  private final Mailbox mailbox = new Mailbox();

  private BundleStager stager(int uploads) {
    StagingSettings settings = new StagingSettings(1, BATCH, BUFFER, uploads, Compression.NONE);
    return new BundleStager(stream, settings, UUID.randomUUID(), 0, 0);
  }

  private static GlobalBatch batch() {
    return GlobalBatch.of(ONE, List.of(Slice.of(new byte[BATCH], 1)));
  }

  /** Each upload ends when the mailbox has run the mail that ends it. */
  private void uploadsEndInTheMailbox() {
    store
        .on(Op.PUT)
        .answer(
            request -> {
              CompletableFuture<Void> turn = new CompletableFuture<>();
              mailbox.execute(() -> turn.complete(null), "end an upload");
              return turn.thenCompose(ended -> request.proceed());
            });
  }

  @Test
  void memoryIsBoundedAndTheMailboxGoesOnWhileItIsUsedUp() throws Exception {
    uploadsEndInTheMailbox();
    BundleStager stager = stager(100);
    StagingOutlet outlet = new StagingOutlet(stager, mailbox);
    long most = 0;

    for (int i = 0; i < 50; i++) {
      outlet.add(batch(), 0);
      most = Math.max(most, stager.heldBytes());
    }

    assertThat(most).isLessThanOrEqualTo(BUFFER);
    assertThat(mailbox.yields).isGreaterThan(40);
    assertThat(outlet.flush()).hasSize(50).doesNotHaveDuplicates();
    assertThat(outlet.flush()).isEmpty();
    assertThat(outlet.sentBytes()).isGreaterThan(50 * BATCH);
  }

  @Test
  void bytesThatTheWriterHoldsElsewhereCountAsWell() throws Exception {
    uploadsEndInTheMailbox();
    BundleStager stager = stager(100);
    StagingOutlet outlet = new StagingOutlet(stager, mailbox);

    for (int i = 0; i < 10; i++) {
      outlet.add(batch(), BUFFER);
      assertThat(stager.heldBytes()).isLessThan(2 * BATCH);
    }
  }

  @Test
  void noMoreUploadsAtOnceThanWanted() throws Exception {
    uploadsEndInTheMailbox();
    StagingOutlet outlet = new StagingOutlet(stager(1), mailbox);
    List<Integer> waiting = new ArrayList<>();

    for (int i = 0; i < 5; i++) {
      outlet.add(batch(), 0);
      waiting.add(mailbox.mails.size());
    }

    assertThat(waiting).allMatch(mails -> mails <= 2);
  }

  @Test
  void aFailedUploadFailsTheNextCallWithItsOwnType() throws Exception {
    store.on(Op.PUT).answer(Answer.denied());
    StagingOutlet outlet = new StagingOutlet(stager(4), mailbox);
    outlet.add(batch(), 0);

    assertThatThrownBy(() -> outlet.add(batch(), 0)).isInstanceOf(StoreException.class);
  }

  @Test
  void bundlesComeInTheOrderOfTheirStepsWhicheverUploadEndsFirst() throws Exception {
    List<CompletableFuture<Void>> turns = new ArrayList<>();
    store
        .on(Op.PUT)
        .answer(
            request -> {
              CompletableFuture<Void> turn = new CompletableFuture<>();
              turns.add(turn);
              return turn.thenCompose(ended -> request.proceed());
            });
    BundleStager stager =
        new BundleStager(
            stream,
            new StagingSettings(1, BATCH, 1 << 20, 10, Compression.NONE),
            UUID.randomUUID(),
            0,
            0);
    StagingOutlet outlet = new StagingOutlet(stager, mailbox);
    for (int i = 1; i <= 3; i++) {
      outlet.add(GlobalBatch.of(ONE, List.of(Slice.of(new byte[BATCH], i))), 0);
    }
    turns.get(2).complete(null);
    turns.get(0).complete(null);
    turns.get(1).complete(null);

    assertThat(outlet.flush()).extracting(StagedBundle::records).containsExactly(1L, 2L, 3L);
  }

  /** Mails in a queue; the thread that yields runs one. */
  private static final class Mailbox implements MailboxExecutor {

    private final BlockingQueue<ThrowingRunnable<? extends Exception>> mails =
        new LinkedBlockingQueue<>();
    private int yields;

    @Override
    public void execute(
        MailOptions options,
        ThrowingRunnable<? extends Exception> mail,
        String description,
        Object... arguments) {
      mails.add(mail);
    }

    @Override
    public void yield() throws InterruptedException {
      yields++;
      run(mails.take());
    }

    @Override
    public boolean tryYield() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean shouldInterrupt() {
      return false;
    }

    private static void run(ThrowingRunnable<? extends Exception> mail) {
      try {
        mail.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
