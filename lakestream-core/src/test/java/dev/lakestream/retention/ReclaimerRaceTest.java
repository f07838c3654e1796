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
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.ReclaimedStream.Writer;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What others commit while a run is under way, or were about to commit before it. */
class ReclaimerRaceTest {

  private final ReclaimedStream stream = new ReclaimedStream();
  private final Writer writer = stream.writer;

  /**
   * Another reclaimer trims, and deletes a segment, while this one is in the middle of a newer
   * manifest: what it had not reached yet is live all the same.
   */
  @Test
  void aSegmentThatGoesWhileItsNeighboursAreBeingReadHidesNothing() {
    writer.commits(5, 1);
    stream.watermark(1);
    int[] segments = {0};
    boolean[] grown = {false};
    stream
        .store
        .on(Op.LIST, key -> key.equals("data/"))
        .times(1)
        .answer(
            request -> {
              writer.commits(250, 1);
              grown[0] = true;
              return request.proceed();
            });
    stream
        .store
        .on(Op.READ, key -> key.startsWith("segment/"))
        .answer(
            request -> {
              if (grown[0] && ++segments[0] == 2) { // the root has been read, its first child not
                stream.watermark(100);
                Reclaimer.of(TrainingStream.open(stream.memory, stream.time), AT_ONCE).run();
              }
              return request.proceed();
            });
    stream.reclaim(AT_ONCE);
    assertThat(segments[0]).isGreaterThan(2);
    assertThat(stream.head().firstStep()).isEqualTo(100);
    stream.verifyIntact();
  }

  /** Nobody else commits: the tag's own commit makes the trim look again. */
  @Test
  void aTagThatIsMadeWhileTheTrimIsUnderWayIsRespected() {
    writer.commits(10, 1);
    stream.watermark(8);
    boolean[] once = {false};
    stream
        .store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .answer(
            request -> {
              if (!once[0]) {
                once[0] = true;
                new Tags(TrainingStream.open(stream.memory, stream.time)).create("late", 3, 4, "");
              }
              return request.proceed();
            });
    assertThat(stream.reclaim(AT_ONCE).firstStep()).isEqualTo(3);
  }

  /** B17, first half: written, not yet published, and older than any age that is configured. */
  @Test
  void aBundleThatIsWrittenAndNotYetPublishedIsNotGarbage() {
    writer.commits(3, 1);
    StagedBundle underWay = writer.stage(1);
    stream.time.pass(Duration.ofDays(400));
    ReclaimResult result = stream.reclaim(AT_ONCE);
    assertThat(result.pending().objects()).isEqualTo(1);
    writer.publish(underWay);
    assertThat(stream.head().nextStep()).isEqualTo(4);
    stream.verifyIntact();
  }

  /** B17: listed as unreferenced, and published before the newest manifest is read. */
  @Test
  void aBundleThatIsPublishedBetweenTheListingAndTheDecisionIsNotGarbage() {
    writer.commits(3, 1);
    StagedBundle racing = writer.stage(1);
    boolean[] once = {false};
    stream
        .store
        .on(Op.LIST, key -> key.equals("data/"))
        .answer(
            request -> {
              CompletableFuture<?> listed = request.proceed();
              if (!once[0]) {
                once[0] = true;
                writer.publish(racing);
                writer.commits(2, 1); // its lineage goes past it at once
              }
              return listed;
            });
    stream.reclaim(AT_ONCE);
    assertThat(once[0]).isTrue();
    assertThat(stream.memory.keys()).contains(racing.object());
    stream.verifyIntact();
  }

  @Test
  void segmentsOfACommitThatIsUnderWayStay() {
    writer.commits(10, 1);
    String underWay = StreamKeys.segment(stream.head().version() + 1, UUID.randomUUID());
    String lost = StreamKeys.segment(stream.head().version(), UUID.randomUUID());
    Futures.await(stream.memory.put(underWay, Payload.of(new byte[] {1})));
    Futures.await(stream.memory.put(lost, Payload.of(new byte[] {1})));
    stream.reclaim(AT_ONCE);
    assertThat(stream.keys("segment/")).containsExactly(underWay);
  }

  /** A writer that slept makes a manifest whose number had been freed, right below the run. */
  @Test
  void aDeadManifestBelowTheRunIsNotTakenForTheOldestOne() {
    writer.commits(120, 1);
    Manifest slept = stream.opened.log().at(40).orElseThrow();
    stream.reclaim(AT_ONCE.keepManifests(80));
    long oldest =
        stream.keys("manifest/").stream()
            .mapToLong(key -> StreamKeys.manifestVersion(key).orElseThrow())
            .min()
            .orElseThrow();
    assertThat(oldest).isEqualTo(42);
    stream.time.pass(Duration.ofMinutes(1));
    Manifest dead = new Chain(stream.store, stream.time).childOf(slept);
    assertThat(dead.version()).isEqualTo(41);
    new Chain(stream.store, stream.time).overwrite(dead, slept);
    // One that is too young to go stops the sweep; it must not count as the bottom of the run.
    ReclaimResult result =
        stream.reclaim(AT_ONCE.keepManifests(80).manifestAge(Duration.ofMinutes(5)));
    assertThat(stream.memory.keys()).contains(StreamKeys.manifest(41));
    assertThat(result.oldestManifest()).isEqualTo(42);
    for (long version = 42; version <= stream.head().version(); version++) {
      Manifest manifest = stream.opened.log().at(version).orElseThrow();
      stream.open().history(manifest).bundles(0, Integer.MAX_VALUE);
    }
    stream.verifyIntact();
  }
}
