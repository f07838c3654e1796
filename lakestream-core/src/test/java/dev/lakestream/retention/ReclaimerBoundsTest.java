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
import static dev.lakestream.retention.ReclaimedStream.MESH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.retention.ReclaimedStream.Writer;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How far a trim goes, and what holds it. */
class ReclaimerBoundsTest {

  private final ReclaimedStream stream = new ReclaimedStream();
  private final Writer writer = stream.writer;

  @Test
  void withoutWatermarksAndTagsNothingIsTrimmed() {
    writer.commits(10, 2);
    ReclaimResult result = stream.reclaim(AT_ONCE);
    assertThat(result.firstStep()).isZero();
    assertThat(result.heldBy()).isEmpty();
    assertThat(result.deleted(Kind.BUNDLE).objects()).isZero();
    assertThat(stream.keys("data/")).hasSize(10);
    stream.verifyIntact();
  }

  @Test
  void whatIsBelowTheWatermarkGoesAndTheBundleAcrossItStays() {
    writer.commits(10, 2);
    stream.watermark(7);
    ReclaimResult result = stream.reclaim(AT_ONCE);
    assertThat(result.firstStepBefore()).isZero();
    assertThat(result.firstStep()).isEqualTo(7);
    assertThat(stream.head().firstStep()).isEqualTo(7);
    assertThat(stream.head().firstRow()).isEqualTo(14);
    assertThat(result.deleted(Kind.BUNDLE).objects()).isEqualTo(3);
    assertThat(result.heldBy()).map(Hold::name).contains("train");
    assertThat(stream.keys("data/")).hasSize(7);
    stream.verifyIntact();
  }

  @Test
  void everythingMayGoAndTheStreamGoesOn() {
    writer.commits(5, 1);
    stream.watermark(99);
    ReclaimResult result = stream.reclaim(AT_ONCE);
    assertThat(result.firstStep()).isEqualTo(5);
    assertThat(stream.keys("data/")).isEmpty();
    assertThat(stream.keys("manifest/"))
        .containsExactly(StreamKeys.manifest(stream.head().version()));
    writer.commits(3, 1);
    assertThat(stream.head().nextStep()).isEqualTo(8);
    stream.verifyIntact();
  }

  @Test
  void aTagHoldsUntilItIsRemoved() {
    writer.commits(10, 1);
    stream.watermark(9);
    Tags tags = new Tags(stream.opened);
    tags.create("v1", 4, 6, "");
    assertThat(stream.reclaim(AT_ONCE).heldBy()).map(Hold::name).contains("v1");
    assertThat(stream.head().firstStep()).isEqualTo(4);
    tags.delete("v1");
    stream.reclaim(AT_ONCE);
    assertThat(stream.head().firstStep()).isEqualTo(9);
  }

  @Test
  void aCallerMayNameTheStepButNotPassAWatermark() {
    writer.commits(10, 1);
    assertThat(stream.reclaim(AT_ONCE.trimTo(3)).firstStep()).isEqualTo(3);
    stream.watermark(6);
    assertThat(stream.reclaim(AT_ONCE.trimTo(5)).firstStep()).isEqualTo(5);
    assertThat(stream.reclaim(AT_ONCE.trimTo(8)).firstStep()).isEqualTo(6);
    stream.verifyIntact();
  }

  @Test
  void aWatermarkBelowTheTrimGoesNowhereBack() {
    writer.commits(10, 1);
    stream.watermark(6);
    stream.reclaim(AT_ONCE);
    stream.watermark(2);
    assertThat(stream.reclaim(AT_ONCE).firstStep()).isEqualTo(6);
  }

  @Test
  void aTagWhoseReplyIsLostHolds() {
    writer.commits(10, 1);
    stream.watermark(8);
    stream.store.on(Op.CREATE, key -> key.startsWith("tag/")).times(1).answer(Answer.lostReply());
    Tag tag = new Tags(stream.opened).create("kept", 3, 4, "");
    assertThat(new Tags(stream.opened).all()).containsExactly(tag);
    assertThat(stream.head().operation()).isEqualTo("tag");
    assertThat(stream.reclaim(AT_ONCE).firstStep()).isEqualTo(3);
  }

  @Test
  void aTagThatCouldNotBeMadeKnownIsTakenBack() {
    writer.commits(10, 1);
    stream.store.on(Op.CREATE, key -> key.startsWith("manifest/")).answer(Answer.denied());
    assertThatThrownBy(() -> new Tags(stream.opened).create("kept", 3, 4, ""))
        .isInstanceOf(StoreException.class);
    stream.store.heal();
    assertThat(new Tags(stream.opened).all()).isEmpty();
  }

  /** B17, second half: a registered reader keeps what it reads; another is told. */
  @Test
  void aRegisteredReaderKeepsItsObjectsWhateverElseMovesOn() {
    writer.commits(20, 1);
    RankRecorder slow = new RankRecorder(stream.opened, "slow", 0, 1, 0, 1);
    slow.register(new Cursor(stream.opened.id(), 1, 5, MESH));
    stream.watermark(20);
    stream.reclaim(AT_ONCE);
    assertThat(stream.head().firstStep()).isEqualTo(5);
    for (BundleDescriptor bundle : stream.opened.history(stream.head()).bundles(5, 100)) {
      assertThat(stream.memory.keys()).contains(bundle.bundle().object());
    }
  }

  /** B12: a producer that is silent blocks nobody, and loses neither its place nor its work. */
  @Test
  void anIdleProducerBlocksNoReclamationAndKeepsItsSequence() {
    Writer idle = stream.writer("idle", new UUID(0xb, 0xb));
    idle.commits(1, 1);
    writer.commits(100, 1);
    stream.watermark(90);
    ReclaimResult result = stream.reclaim(AT_ONCE);
    assertThat(result.firstStep()).isEqualTo(90);
    assertThat(stream.keys("data/")).hasSize(11);
    assertThat(stream.keys("manifest/")).hasSize(1);
    assertThat(stream.head().producer("idle").orElseThrow().currentLineage().sequence())
        .isEqualTo(1);
    idle.commits(1, 1);
    assertThat(stream.head().nextStep()).isEqualTo(102);
    stream.verifyIntact();
  }
}
