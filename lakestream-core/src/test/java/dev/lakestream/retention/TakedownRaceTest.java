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

import static dev.lakestream.retention.ReclaimedStream.AT_ONCE;
import static dev.lakestream.retention.RedactedStream.numbers;
import static dev.lakestream.retention.RedactedStream.request;
import static dev.lakestream.retention.RedactedStream.sha256;
import static dev.lakestream.retention.RedactedStream.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.Redaction;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Takedowns beside each other, beside reclamation, and on a store that fails. */
class TakedownRaceTest {

  private final RedactedStream stream = new RedactedStream();

  @Test
  void twoTakedownsOfOneBundleAtOnceBothCount() {
    stream.write();
    duringTheFirstRewrite(() -> stream.takedown().run(request(8, 9, numbers(0, 0, 1))));
    Takedown.Result result = stream.takedown().run(request(7, 8, numbers(0, 0, 0)));
    assertThat(result.redactions()).containsOnlyKeys(7L);
    assertThat(stream.bundleOf(7)).isEqualTo(stream.bundleOf(8));
    assertThat(stream.bundleOf(7).redactions()).extracting(Redaction::tgb).containsExactly(0, 1);
    List<List<String>> expected = written(0, 0);
    expected.get(7).remove(0);
    expected.get(8).remove(1);
    assertThat(stream.read(0, 0, 0)).isEqualTo(expected);
    stream.verifyIntact();
  }

  /** Whoever was faster may have moved the records that the numbers meant. */
  @Test
  void recordsByNumberAreNotTakenOutOfAStepThatAnotherTakedownHasChanged() {
    stream.write();
    duringTheFirstRewrite(() -> stream.takedown().run(request(7, 8, numbers(0, 0, 0))));
    assertThatThrownBy(() -> stream.takedown().run(request(7, 8, numbers(0, 0, 1))))
        .isInstanceOf(LakestreamException.class)
        .hasMessageContaining("step 7")
        .hasMessageContaining("asked for by its author");
    List<List<String>> expected = written(0, 0);
    expected.get(7).remove(0);
    assertThat(stream.read(0, 0, 0)).isEqualTo(expected);
    stream.verifyIntact();
  }

  /** What is decided on one base must not leak into the next one. */
  @Test
  void aBundleThatAnotherTakedownReplacedIsDoneAgainThoughTheStoreFailsInBetween() {
    stream.write();
    duringTheFirstRewrite(
        () -> {
          stream.takedown().run(request(0, 1, numbers(0, 0, 0)));
          stream
              .store
              .on(Op.READ_SUFFIX, key -> key.startsWith("data/"))
              .times(1)
              .answer(Answer.serverError());
        });
    Removal twins = new Removal.Contents(Set.of(sha256("twin")));
    Takedown.Result result = stream.takedown().run(request(0, 21, twins));
    assertThat(result.redactions()).containsOnlyKeys(0L, 10L, 20L);
    assertThat(stream.read(0, 0, 0).subList(0, 21)).noneMatch(step -> step.contains("twin"));
    stream.verifyIntact();
  }

  private void duringTheFirstRewrite(Runnable other) {
    AtomicBoolean first = new AtomicBoolean(true);
    stream
        .store
        .on(Op.PUT, key -> key.startsWith("data/"))
        .times(1)
        .answer(
            asked -> {
              if (first.getAndSet(false)) {
                other.run();
              }
              return asked.proceed();
            });
  }

  /** Frozen right before its commit, it has looked at its bundles for the last time. */
  @Test
  void reclamationDuringTheCommitLeavesTheNewBundles() {
    stream.write();
    stream
        .store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .answer(
            asked -> {
              Reclaimer.of(TrainingStream.open(stream.store), AT_ONCE).run();
              return asked.proceed();
            });
    stream.takedown().run(request(7, 8, numbers(1, 0, 1)));
    stream.store.heal();
    List<List<String>> expected = written(1, 0);
    expected.get(7).remove(1);
    assertThat(stream.read(1, 0, 0)).isEqualTo(expected);
    assertThat(TrainingStream.open(stream.store).log().newest().producers())
        .noneMatch(producer -> producer.producerId().startsWith("takedown"));
    stream.verifyIntact();
  }

  @Test
  void whatFailsLeavesNoProducerBehind() {
    WrittenStream written = stream.write();
    stream
        .store
        .on(Op.PUT, key -> key.startsWith("data/"))
        .after(1)
        .times(1)
        .answer(Answer.denied());
    Removal twins = new Removal.Contents(Set.of(sha256("twin")));
    assertThatThrownBy(() -> stream.takedown().run(request(0, 21, twins)))
        .isInstanceOf(StoreException.class);
    assertThat(written.head().producers()).hasSize(1);
    assertThat(stream.read(0, 0, 0)).isEqualTo(written(0, 0));
  }

  @Test
  void aLostReplyOfTheCommitTakesOutOnce() {
    stream.write();
    stream
        .store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .times(1)
        .answer(Answer.lostReply());
    Takedown.Result result = stream.takedown().run(request(20, 21, numbers(1, 1, 2)));
    assertThat(result.version())
        .hasValue(TrainingStream.open(stream.store).log().newest().version());
    assertThat(stream.bundleOf(20).redactions()).hasSize(1);
    stream.verifyIntact();
  }
}
