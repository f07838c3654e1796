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
package dev.lakestream.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleCheck;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Bundles;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a submission is told when another, or its own past, stands in its way. */
class PublisherTest {

  private static final UUID A = new UUID(0xa, 0xa);
  private static final UUID B = new UUID(0xb, 0xb);

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://test", time);
  private final TrainingStream stream = TrainingStream.openOrCreate(memory, Chain.INFO, time);
  private final Publisher a = publisher();
  private final Publisher b = publisher();

  @Test
  void aRestartOfTheSameSubmissionMakesNoCommit() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    long version = head().version();
    Publisher.Takeover again = publisher().takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    assertThat(again.lineage().id()).isEqualTo(A);
    assertThat(head().version()).isEqualTo(version);
  }

  @Test
  void whoWasTakenOverFromIsToldByWhomAndThatNothingIsDropped() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    publish(a, A, A, 1);
    b.takeOver(claim(B, new Claim.Restored(A, A, 1)), OnRewind.FAIL);
    assertThatThrownBy(() -> publish(a, A, A, 2))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("Producer \"p\"")
        .hasMessageContaining("mem://test")
        .hasMessageContaining(A.toString())
        .hasMessageContaining("job \"job of " + B + "\"")
        .hasMessageContaining("different producer ids")
        .hasMessageContaining("Nothing was dropped");
    assertThatThrownBy(() -> a.takeOver(claim(A, new Claim.Restored(A, A, 1)), OnRewind.FAIL))
        .isInstanceOf(FencedException.class);
    assertThatThrownBy(() -> a.takeOver(claim(A, new Claim.Fresh()), OnRewind.APPEND))
        .isInstanceOf(FencedException.class);
    assertThat(head().nextStep()).isEqualTo(1);
  }

  @Test
  void fencedIsNeverReportedAsPublishedThoughTheSequenceIsOld() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    publish(a, A, A, 1);
    b.takeOver(claim(B, new Claim.Restored(A, A, 1)), OnRewind.FAIL);
    assertThatThrownBy(() -> publish(a, A, A, 1)).isInstanceOf(FencedException.class);
  }

  @Test
  void aRecommitIsSkipped() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    assertThat(publish(a, A, A, 1).published()).isTrue();
    Publisher.Published again = publish(a, A, A, 1);
    assertThat(again.published()).isFalse();
    assertThat(again.nextStep()).isEqualTo(1);
  }

  @Test
  void anOldCheckpointIsRefusedWithTheStepsAndBothJobs() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    for (int sequence = 1; sequence <= 4; sequence++) {
      publish(a, A, A, sequence);
    }
    assertThatThrownBy(() -> b.takeOver(claim(B, new Claim.Restored(A, A, 2)), OnRewind.FAIL))
        .isInstanceOf(RewindException.class)
        .hasMessageContaining("checkpoint 2")
        .hasMessageContaining("sequence 4")
        .hasMessageContaining("steps 2 to 3")
        .hasMessageContaining("job of " + A)
        .hasMessageContaining("job of " + B)
        .hasMessageContaining("sink.on-rewind = append");
    // refused means that nothing happened: the old job goes on
    assertThat(publish(a, A, A, 5).published()).isTrue();
  }

  @Test
  void anOldCheckpointMayAppendInALineageOfItsOwn() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    for (int sequence = 1; sequence <= 4; sequence++) {
      publish(a, A, A, sequence);
    }
    Publisher.Takeover takeover =
        b.takeOver(claim(B, new Claim.Restored(A, A, 2)), OnRewind.APPEND);
    assertThat(takeover.rewound()).isTrue();
    assertThat(takeover.lineage().id()).isEqualTo(B);
    assertThat(publish(b, B, B, 3).firstStep()).hasValue(4);
    assertThat(head().nextStep()).isEqualTo(5);
  }

  @Test
  void ofTwoClonesOfOneSavepointTheSecondDoesNotPassForTheFirst() {
    UUID c = new UUID(0xc, 0xc);
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    publish(a, A, A, 1);
    b.takeOver(claim(B, new Claim.Restored(A, A, 1)), OnRewind.FAIL);
    publish(b, B, A, 2);
    // c restored the same savepoint, then a later one of its own that has the same number
    assertThatThrownBy(
            () -> publisher().takeOver(claim(c, new Claim.Restored(A, A, 2)), OnRewind.FAIL))
        .isInstanceOf(RewindException.class)
        .hasMessageContaining("another job");
  }

  @Test
  void aBatchRestartSkipsWhatItHasPublished() {
    a.takeOver(claim(A, new Claim.Batch()), OnRewind.FAIL);
    publish(a, A, A, 1);
    Publisher again = publisher();
    assertThat(again.takeOver(claim(A, new Claim.Batch()), OnRewind.FAIL).lineage().sequence())
        .isEqualTo(1);
    assertThat(publish(again, A, A, 1).published()).isFalse();
  }

  @Test
  void aNewBatchSubmissionIsANewLineage() {
    a.takeOver(claim(A, new Claim.Batch()), OnRewind.FAIL);
    publish(a, A, A, 1);
    b.takeOver(claim(B, new Claim.Batch()), OnRewind.FAIL);
    assertThat(publish(b, B, B, 1).published()).isTrue();
    assertThat(head().nextStep()).isEqualTo(2);
  }

  @Test
  void aRetiredProducerIsTold() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    new CommitLoop(stream, CommitSettings.DEFAULT, new Random(1), new CommitMetrics())
        .commit(base -> Optional.of(new NextManifest(base, "retire").retire("p")));
    assertThatThrownBy(() -> publish(a, A, A, 1))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("retired");
    assertThatThrownBy(() -> b.takeOver(claim(B, new Claim.Restored(A, A, 1)), OnRewind.FAIL))
        .isInstanceOf(RewindException.class)
        .hasMessageContaining("retired");
  }

  @Test
  void aRestoredBundleThatIsGoneIsNamedAndNothingIsPublished() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    Publication lost = publication(A, A, 1, true);
    assertThatThrownBy(() -> a.publish(lost))
        .isInstanceOf(MissingBundleException.class)
        .hasMessageContaining(lost.bundles().get(0).object())
        .hasMessageContaining("Checkpoint 1")
        .hasMessageContaining("Restore a newer checkpoint");
    assertThat(head().nextStep()).isZero();
  }

  /**
   * B17, I4: a restore that appends what its lineage has gone past refers to bundles that
   * reclamation may be deleting at this very moment. It publishes copies that nobody may delete.
   */
  @Test
  void aLateRestorePublishesACopyOfWhatMayBeReclaimed() {
    Publication late = goPast(4);
    b.publish(late);
    BundleDescriptor published = stream.history(head()).bundleOf(4).orElseThrow();
    assertThat(published.bundle().object()).isNotEqualTo(late.bundles().get(0).object());
    BundleName name = BundleName.parse(published.bundle().object()).orElseThrow();
    assertThat(name.owner()).isEqualTo(B);
    assertThat(name.afterCheckpoint()).isEqualTo(late.sequence() - 1);
    BundleCheck.full(memory, stream.id(), published.bundle());
    // Whoever decided to delete the original long ago may do so now.
    Futures.await(memory.delete(late.bundles().get(0).object()));
    BundleCheck.full(memory, stream.id(), published.bundle());
  }

  @Test
  void aLateRestoreOfWhatHasBeenReclaimedIsAnErrorThatNamesIt() {
    Publication late = goPast(4);
    String gone = late.bundles().get(0).object();
    Futures.await(memory.delete(gone));
    assertThatThrownBy(() -> b.publish(late))
        .isInstanceOf(MissingBundleException.class)
        .hasMessageContaining(gone);
    assertThat(head().nextStep()).isEqualTo(4);
  }

  @Test
  void aRestoredBundleThatNobodyMayDeleteIsPublishedAsItIs() {
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    Publication restored = staged(A, A, A, 1);
    a.publish(restored);
    assertThat(stream.history(head()).bundleOf(0).orElseThrow().bundle())
        .isEqualTo(restored.bundles().get(0));
  }

  /**
   * A's lineage is published up to a sequence by C; then B, which restored A's checkpoint before
   * that, appends. Returns what B has left to publish of it.
   */
  private Publication goPast(long sequence) {
    UUID c = new UUID(0xc, 0xc);
    a.takeOver(claim(A, new Claim.Fresh()), OnRewind.FAIL);
    publish(a, A, A, 1);
    Publication left = staged(B, A, A, 2);
    Publisher third = publisher();
    third.takeOver(claim(c, new Claim.Restored(A, A, 1)), OnRewind.FAIL);
    for (long next = 2; next <= sequence; next++) {
      publish(third, c, A, next);
    }
    b.takeOver(claim(B, new Claim.Restored(A, A, 2)), OnRewind.APPEND);
    return left;
  }

  /** Restored from a checkpoint of {@code takenBy}, with a bundle that is really there. */
  private Publication staged(UUID owner, UUID lineage, UUID takenBy, long sequence) {
    BundleBuilder builder = new BundleBuilder(stream.id(), "raw", Compression.NONE);
    Slice slice = Slice.of(new byte[] {1, 2, 3}, 1);
    builder.add(GlobalBatch.of(new Mesh(2, 1), List.of(slice, slice)));
    BundleBuilder.Bundle bundle =
        builder.build(BundleName.create(takenBy, sequence - 1, 0).object(), Map.of());
    Futures.await(memory.put(bundle.staged().object(), bundle.payload()));
    return new Publication(
        "p", owner, lineage, takenBy, sequence, List.of(bundle.staged()), ByteString.EMPTY, true);
  }

  private Manifest head() {
    return stream.log().newest();
  }

  private Publisher publisher() {
    return new Publisher(
        TrainingStream.open(memory, time),
        CommitSettings.DEFAULT.withPacing(Pacing.NAIVE),
        new Random(1),
        new CommitMetrics());
  }

  private static Claim claim(UUID owner, Claim.Start start) {
    return new Claim("p", owner, "job of " + owner, start);
  }

  private static Publisher.Published publish(
      Publisher publisher, UUID owner, UUID lineage, long sequence) {
    return publisher.publish(publication(owner, lineage, sequence, false));
  }

  private static Publication publication(
      UUID owner, UUID lineage, long sequence, boolean restored) {
    return new Publication(
        "p",
        owner,
        lineage,
        owner,
        sequence,
        List.of(Bundles.of(owner, new UUID(1, sequence), 1)),
        ByteString.EMPTY,
        restored);
  }
}
