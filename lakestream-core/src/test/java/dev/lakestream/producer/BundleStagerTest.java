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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BundleStagerTest {

  private static final Mesh ONE = new Mesh(1, 1);
  private static final int BATCH = 1000;

  private final FaultyStore store = FaultyStore.inMemory();
  private final TrainingStream stream =
      TrainingStream.openOrCreate(store, StreamInfo.create(ONE, "raw"));
  private final Deque<CompletableFuture<Void>> uploads = new ArrayDeque<>();

  private static GlobalBatch batch() {
    return GlobalBatch.of(ONE, List.of(Slice.of(new byte[BATCH], 1)));
  }

  private BundleStager stager(StagingSettings settings) {
    store
        .on(Op.PUT)
        .answer(
            request -> {
              CompletableFuture<Void> turn = new CompletableFuture<>();
              uploads.add(turn);
              return turn.thenCompose(ended -> request.proceed());
            });
    return new BundleStager(stream, settings, UUID.randomUUID(), 0, 0);
  }

  @Test
  void itSaysWhichUploadTheNextBatchHasToWaitFor() {
    BundleStager stager = stager(new StagingSettings(1, BATCH, 3 * BATCH, 10, Compression.NONE));
    assertThat(stager.tryAdd(batch(), 0)).isEmpty();
    assertThat(stager.tryAdd(batch(), 2 * BATCH)).isPresent();
    assertThat(stager.tryAdd(batch(), 0)).isEmpty();
    Optional<CompletableFuture<StagedBundle>> oldest = stager.tryAdd(batch(), 0);
    assertThat(oldest).isPresent();
    assertThat(stager.takeStaged()).hasSize(2).first().isSameAs(oldest.get());

    uploads.remove().complete(null);

    assertThat(oldest.get()).isCompleted();
    assertThat(stager.tryAdd(batch(), 0)).isEmpty();
    assertThat(stager.takeStaged()).hasSize(1);
  }

  @Test
  void anotherBundleIsFilledWhileAllUploadsAreBusy() {
    BundleStager stager =
        stager(new StagingSettings(2, 10 * BATCH, 100 * BATCH, 1, Compression.NONE));
    for (int i = 0; i < 4; i++) {
      assertThat(stager.tryAdd(batch(), 0)).isEmpty();
    }
    assertThat(uploads).hasSize(1);

    assertThat(stager.isFull()).isTrue();
    assertThat(stager.tryAdd(batch(), 0)).isPresent();
    assertThat(stager.tryRoll()).isPresent();
    assertThat(stager.openSteps()).isEqualTo(2);

    uploads.remove().complete(null);

    assertThat(stager.tryAdd(batch(), 0)).isEmpty();
    assertThat(uploads).hasSize(1);
    assertThat(stager.openSteps()).isEqualTo(1);
  }

  @Test
  void theOpenBundleMakesRoomForWhatTheCallerHolds() {
    BundleStager stager =
        stager(new StagingSettings(10, 10 * BATCH, 10 * BATCH, 10, Compression.NONE));
    assertThat(stager.tryAdd(batch(), 0)).isEmpty();

    assertThat(stager.tryAdd(batch(), 9 * BATCH)).isPresent();

    assertThat(uploads).hasSize(1);
    assertThat(stager.openSteps()).isZero();
    uploads.remove().complete(null);
    assertThat(stager.tryAdd(batch(), 9 * BATCH)).isEmpty();
  }

  @Test
  void anAbortedProducerPublishesNothingMore() {
    Producer producer = Producer.builder(stream, "aborted").linger(Duration.ofDays(1)).build();
    producer.append(batch(), ByteString.EMPTY);

    producer.abort();

    assertThat(stream.log().newest().nextStep()).isZero();
    assertThatThrownBy(() -> producer.append(batch(), ByteString.EMPTY))
        .isInstanceOf(LakestreamException.class)
        .hasMessageContaining("aborted");
    assertThatThrownBy(producer::flush).hasMessageContaining("aborted");
  }
}
