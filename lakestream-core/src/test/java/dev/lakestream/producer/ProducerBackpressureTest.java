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
package dev.lakestream.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.LagSettings;
import dev.lakestream.retention.RankRecorder;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A producer whose store, or whose consumers, are slower than its input. */
@Timeout(60)
class ProducerBackpressureTest {

  private static final Mesh ONE = new Mesh(1, 1);
  private static final int BATCH = 1000;

  private final FaultyStore store = FaultyStore.inMemory();
  private final TrainingStream stream =
      TrainingStream.openOrCreate(store, StreamInfo.create(ONE, "raw"));
  private final List<CompletableFuture<Void>> uploads = new CopyOnWriteArrayList<>();

  private void stallUploads() {
    store
        .on(Op.PUT, key -> key.startsWith("data/"))
        .answer(
            request -> {
              CompletableFuture<Void> turn = new CompletableFuture<>();
              uploads.add(turn);
              return turn.thenCompose(ended -> request.proceed());
            });
  }

  private Producer.Builder producer() {
    return Producer.builder(stream, "p")
        .staging(new StagingSettings(1, BATCH, 5 * BATCH, 1, Compression.NONE))
        .linger(Duration.ofMillis(1));
  }

  private static GlobalBatch batch() {
    return GlobalBatch.of(ONE, List.of(Slice.of(new byte[BATCH], 1)));
  }

  private static Optional<CompletableFuture<?>> offer(Producer producer) {
    return producer.tryAppend(batch(), ByteString.EMPTY, 0);
  }

  @Test
  void anAppendThatWaitsForAStalledStoreHoldsUpNeitherTheGaugesNorTheEnd() throws Exception {
    stallUploads();
    Producer producer = producer().build();
    producer.append(batch(), ByteString.EMPTY);
    producer.append(batch(), ByteString.EMPTY); // is full, and waits for an upload to spare
    List<Exception> failures = new CopyOnWriteArrayList<>();
    Thread input =
        new Thread(
            () -> {
              try {
                producer.append(batch(), ByteString.EMPTY);
              } catch (RuntimeException e) {
                failures.add(e);
              }
            });
    input.start();
    await().until(() -> input.getState() == Thread.State.WAITING);

    assertThat(producer.unpublished()).isEqualTo(2);
    producer.abort();
    input.join();

    assertThat(failures).singleElement().asString().contains("aborted");
    assertThat(uploads).hasSize(1);
  }

  @Test
  void aBatchThatIsOfferedIsTakenOrTellsWhatToWaitFor() {
    stallUploads();
    Producer producer = producer().build();
    assertThat(offer(producer)).isEmpty();
    assertThat(offer(producer)).isEmpty();

    Optional<CompletableFuture<?>> busy = offer(producer);

    assertThat(busy.orElseThrow()).isNotDone();
    assertThat(producer.unpublished()).isEqualTo(2);
    uploads.get(0).complete(null);
    assertThat(busy.orElseThrow()).isCompleted();
    await().until(() -> offer(producer).isEmpty());
    while (producer.unpublished() > 0) {
      uploads.forEach(turn -> turn.complete(null));
    }
    producer.close();
    assertThat(stream.log().newest().nextStep()).isEqualTo(3);
  }

  @Test
  void bytesThatTheCallerHoldsCountAgainstTheSameMemory() {
    stallUploads();
    Producer producer =
        producer().staging(new StagingSettings(1, BATCH, 5 * BATCH, 9, Compression.NONE)).build();
    assertThat(offer(producer)).isEmpty();

    assertThat(producer.tryAppend(batch(), ByteString.EMPTY, 4 * BATCH)).isPresent();
    assertThat(offer(producer)).isEmpty();
    producer.abort();
  }

  @Test
  void consumersThatAreBehindAreWaitedForToo() {
    consumedTo(0);
    Producer producer =
        producer().maxLag(new LagSettings(2, Duration.ofMillis(5), Duration.ofMinutes(1))).build();
    offerUntilTaken(producer);
    offerUntilTaken(producer);
    await().until(() -> stream.log().newest().nextStep() == 2);

    CompletableFuture<?> room = offer(producer).orElseThrow();

    await().during(Duration.ofMillis(50)).until(() -> !room.isDone());
    consumedTo(1);
    await().untilAsserted(() -> assertThat(room).isCompleted());
    offerUntilTaken(producer);
    producer.close();
    assertThat(stream.log().newest().nextStep()).isEqualTo(3);
  }

  private static void offerUntilTaken(Producer producer) {
    Optional<CompletableFuture<?>> blocking = offer(producer);
    while (blocking.isPresent()) {
      Futures.await(blocking.get());
      blocking = offer(producer);
    }
  }

  private void consumedTo(long step) {
    new RankRecorder(stream, "train", 0, 1, 0, 1).record(new Cursor(stream.id(), 0, step, ONE));
  }
}
