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
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.FencedException;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.LagSettings;
import dev.lakestream.retention.LagTimeoutException;
import dev.lakestream.retention.RankRecorder;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ProducerTest {

  private static final Mesh MESH = new Mesh(2, 1);

  private final FaultyStore store = FaultyStore.inMemory();
  private final TrainingStream stream =
      TrainingStream.openOrCreate(store, StreamInfo.create(MESH, "raw"));

  @Test
  void everythingAppendedIsPublishedInOrder() {
    try (Producer producer = producer("p").build()) {
      appendNumbers(producer, 0, 10);
    }
    assertThat(numbers()).isEqualTo(numbersBetween(0, 10));
  }

  @Test
  void aRestartResumesWhereTheStreamEnds() {
    try (Producer producer = producer("p").build()) {
      assertThat(producer.resumePosition()).isEqualTo(ByteString.EMPTY);
      appendNumbers(producer, 0, 7);
    }
    try (Producer producer = producer("p").build()) {
      assertThat(producer.resumePosition().toStringUtf8()).isEqualTo("7");
      appendNumbers(producer, 7, 12);
    }
    assertThat(numbers()).isEqualTo(numbersBetween(0, 12));
  }

  @Test
  void aCrashLosesOnlyWhatResumePositionGivesBack() {
    Producer crashed = producer("p").build();
    appendNumbers(crashed, 0, 8);
    crashed.flush();
    appendNumbers(crashed, 8, 9); // stays in the open bundle: never published, as in a crash
    try (Producer successor = producer("p").build()) {
      int resume = Integer.parseInt(successor.resumePosition().toStringUtf8());
      assertThat(resume).isEqualTo(8);
      appendNumbers(successor, resume, 11);
    }
    assertThat(numbers()).isEqualTo(numbersBetween(0, 11));
  }

  @Test
  void anOlderProcessIsFencedAndSaysByWhom() {
    Producer old = producer("p").name("nightly run 1").build();
    appendNumbers(old, 0, 2);
    old.flush();
    Producer young = producer("p").name("nightly run 2").build();
    appendNumbers(old, 2, 4);
    assertThatThrownBy(old::flush)
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("nightly run 2")
        .hasMessageContaining("different producer ids");
    appendNumbers(young, 2, 5);
    young.close();
    assertThat(numbers()).isEqualTo(numbersBetween(0, 5));
  }

  @Test
  void aBundleThatIsNotFullIsPublishedAfterTheLinger() {
    try (Producer producer = producer("p").linger(Duration.ofMillis(20)).build()) {
      appendNumbers(producer, 0, 1);
      await().untilAsserted(() -> assertThat(numbers()).containsExactly("0.0", "0.1"));
    }
  }

  @Test
  void aLostReplyOfAnAppliedCommitIsNotPublishedTwice() {
    Producer producer = producer("p").build();
    store.on(Op.CREATE, key -> key.startsWith("manifest/")).times(1).answer(Answer.lostReply());
    appendNumbers(producer, 0, 4);
    producer.close();
    assertThat(numbers()).isEqualTo(numbersBetween(0, 4));
    assertThat(producer.metrics().unknownOutcomes()).isEqualTo(1);
  }

  @Test
  void aStoreWithoutConditionalCreateIsRefusedBeforeAnythingIsWritten() {
    store.on(Op.CREATE, key -> key.startsWith("probe/")).answer(Answer.ignoreCondition());
    assertThatThrownBy(() -> producer("p").build())
        .isInstanceOf(StoreException.class)
        .satisfies(e -> assertThat(StoreException.is(e, Fault.UNSAFE)).isTrue());
    assertThat(stream.log().newest().version()).isZero();
  }

  @Test
  void aFailedUploadFailsTheProducerAndPublishesNothingOfIt() {
    Producer producer = producer("p").build();
    store.on(Op.PUT, key -> key.startsWith("data/")).answer(Answer.fail(Fault.DENIED));
    assertThatThrownBy(
            () -> {
              appendNumbers(producer, 0, 4);
              producer.flush();
            })
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("data/");
    assertThat(numbers()).isEmpty();
  }

  @Test
  void appendWaitsAtMaxLagAndGoesOnWhenTheWatermarkAdvances() {
    recordConsumer(0);
    AtomicInteger appended = new AtomicInteger();
    Producer producer = producer("p").linger(Duration.ofMillis(5)).maxLag(lag(6)).build();
    Thread input =
        new Thread(
            () -> {
              for (int i = 0; i < 12; i++) {
                appendNumbers(producer, i, i + 1);
                appended.incrementAndGet();
              }
            });
    input.start();
    await().until(() -> appended.get() == 6 && stream.log().newest().nextStep() == 6);
    // It is waiting now, not just slow: everything it took on is published, and no more is staged.
    await().until(() -> input.getState() == Thread.State.TIMED_WAITING);
    assertThat(appended).hasValue(6);
    assertThat(bundlesInStore()).isLessThanOrEqualTo(6);
    recordConsumer(4);
    await().until(() -> appended.get() == 10);
    recordConsumer(10);
    await().until(() -> !input.isAlive());
    producer.close();
    assertThat(numbers()).isEqualTo(numbersBetween(0, 12));
  }

  @Test
  void aConsumerThatDoesNotMoveEndsAppendWithAnErrorThatNamesIt() {
    recordConsumer(0);
    LagSettings impatient = new LagSettings(4, Duration.ofMillis(1), Duration.ofMillis(50));
    Producer producer = producer("p").linger(Duration.ofMillis(5)).maxLag(impatient).build();
    appendNumbers(producer, 0, 4);
    assertThatThrownBy(() -> appendNumbers(producer, 4, 5))
        .isInstanceOf(LagTimeoutException.class)
        .hasMessageContaining("rank 0 of group \"train\"");
    // What was taken on is not lost, and the input may try again.
    recordConsumer(4);
    appendNumbers(producer, 4, 6);
    producer.close();
    assertThat(numbers()).isEqualTo(numbersBetween(0, 6));
  }

  @Test
  void aProducerThatWaitsForConsumersCanBeAborted() throws InterruptedException {
    recordConsumer(0);
    Producer producer = producer("p").maxLag(lag(2)).build();
    List<RuntimeException> failures = Collections.synchronizedList(new ArrayList<>());
    Thread input =
        new Thread(
            () -> {
              try {
                appendNumbers(producer, 0, 3);
              } catch (RuntimeException e) {
                failures.add(e);
              }
            });
    input.start();
    await().until(() -> input.getState() == Thread.State.TIMED_WAITING);
    producer.abort();
    input.join();
    assertThat(failures).singleElement().asString().contains("aborted");
  }

  /**
   * B17: reclamation takes a bundle for garbage once a sequence above the one in its name is
   * published, so a bundle must never carry a lower one than the publication before its own.
   */
  @Test
  void aBundleThatIsOpenedDuringACommitIsNamedAfterThatCommit() {
    store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .answer(Answer.delay(Duration.ofMillis(3)));
    try (Producer producer = producer("p").linger(Duration.ZERO).build()) {
      for (int i = 0; store.log().count(Op.CREATE, "manifest/") < 10; i++) {
        appendNumbers(producer, i, i + 1);
      }
    }
    List<BundleDescriptor> bundles =
        stream.history(stream.log().newest()).bundles(0, Integer.MAX_VALUE);
    assertThat(bundles).last().extracting(BundleDescriptor::sequence, LONG).isGreaterThan(5);
    for (BundleDescriptor bundle : bundles) {
      long after = BundleName.parse(bundle.bundle().object()).orElseThrow().afterCheckpoint();
      assertThat(after).isEqualTo(bundle.sequence() - 1);
    }
  }

  private void recordConsumer(long step) {
    new RankRecorder(stream, "train", 0, 1, 0, 1).record(new Cursor(stream.id(), 0, step, MESH));
  }

  private static LagSettings lag(long steps) {
    return new LagSettings(steps, Duration.ofMillis(5), Duration.ofMinutes(1));
  }

  private int bundlesInStore() {
    return Futures.await(store.list("data/", "", 1000)).objects().size();
  }

  @Test
  void twoProducersShareAStreamWithoutLoss() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (String id : List.of("a", "b", "c")) {
      Thread thread =
          new Thread(
              () -> {
                try (Producer producer = producer(id).build()) {
                  for (int i = 0; i < 12; i++) {
                    appendNumbers(producer, i, i + 1);
                    if (i % 3 == 2) {
                      producer.flush();
                    }
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Manifest head = stream.log().newest();
    for (String id : List.of("a", "b", "c")) {
      assertThat(numbersOf(head, id)).isEqualTo(numbersBetween(0, 12));
    }
    assertThat(head.nextStep()).isEqualTo(36);
    assertThat(head.nextRow()).isEqualTo(72);
  }

  private Producer.Builder producer(String id) {
    return Producer.builder(stream, id)
        .staging(new StagingSettings(4, 1 << 20, 4 << 20, 2, Compression.NONE))
        .commits(CommitSettings.DEFAULT.withPacing(Pacing.NAIVE))
        .linger(Duration.ofHours(1));
  }

  private static void appendNumbers(Producer producer, int from, int to) {
    for (int i = from; i < to; i++) {
      producer.append(
          GlobalBatch.of(MESH, List.of(slice(i + ".0"), slice(i + ".1"))),
          ByteString.copyFromUtf8(String.valueOf(i + 1)));
    }
  }

  private static Slice slice(String text) {
    return Slice.of(text.getBytes(StandardCharsets.UTF_8), 1);
  }

  private static List<String> numbersBetween(int from, int to) {
    List<String> numbers = new ArrayList<>();
    for (int i = from; i < to; i++) {
      numbers.add(i + ".0");
      numbers.add(i + ".1");
    }
    return numbers;
  }

  private List<String> numbers() {
    return numbersOf(stream.log().newest(), "p");
  }

  private List<String> numbersOf(Manifest head, String producerId) {
    List<String> found = new ArrayList<>();
    for (BundleDescriptor bundle : stream.history(head).bundles(0, Integer.MAX_VALUE)) {
      if (bundle.producerId().equals(producerId)) {
        BundleReader reader = BundleReader.of(store, stream.id(), bundle.bundle());
        for (int k = 0; k < bundle.bundle().tgbCount(); k++) {
          for (int d = 0; d < MESH.dp(); d++) {
            Slice slice = reader.section(d, 0).slice(k);
            found.add(StandardCharsets.UTF_8.decode(slice.bytes()).toString());
          }
        }
      }
    }
    return found;
  }
}
