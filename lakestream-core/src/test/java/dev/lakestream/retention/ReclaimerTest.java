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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.PendingUpload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReclaimerTest {

  private static final Mesh MESH = new Mesh(2, 1);

  /** Deletes whatever the rules allow, without regard to age. */
  private static final ReclaimSettings AT_ONCE =
      ReclaimSettings.DEFAULT.keepManifests(1).manifestAge(Duration.ZERO).orphanAge(Duration.ZERO);

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://test", time);
  private final FaultyStore store = new FaultyStore(memory, time);
  private final TrainingStream stream = TrainingStream.openOrCreate(store, Chain.INFO, time);
  private final Writer writer = new Writer("p", new UUID(0xa, 0xa));

  /** Someone who publishes bundles that are really there. */
  private final class Writer {
    final String id;
    final UUID owner;
    final Publisher publisher =
        new Publisher(
            TrainingStream.open(store, time),
            CommitSettings.DEFAULT.withPacing(Pacing.NAIVE),
            new Random(1),
            new CommitMetrics());
    final UUID lineage;
    long sequence;

    Writer(String id, UUID owner) {
      this.id = id;
      this.owner = owner;
      this.lineage =
          publisher
              .takeOver(new Claim(id, owner, "job of " + id, new Claim.Fresh()), OnRewind.FAIL)
              .lineage()
              .id();
    }

    StagedBundle stage(int steps) {
      return stage(owner, sequence, steps);
    }

    StagedBundle stage(UUID named, long after, int steps) {
      BundleBuilder builder = new BundleBuilder(stream.id(), "raw", Compression.NONE);
      Slice slice = Slice.of(new byte[] {1, 2, 3}, 1);
      for (int i = 0; i < steps; i++) {
        builder.add(GlobalBatch.of(MESH, List.of(slice, slice)));
      }
      BundleBuilder.Bundle bundle =
          builder.build(BundleName.create(named, after, 0).object(), Map.of());
      Futures.await(store.put(bundle.staged().object(), bundle.payload()));
      return bundle.staged();
    }

    void publish(StagedBundle... bundles) {
      sequence++;
      publisher.publish(
          new Publication(
              id, owner, lineage, owner, sequence, List.of(bundles), ByteString.EMPTY, false));
    }

    /** So many commits of one bundle each. */
    Writer commits(int count, int steps) {
      for (int i = 0; i < count; i++) {
        publish(stage(steps));
        time.pass(Duration.ofMillis(10));
      }
      return this;
    }
  }

  private ReclaimResult reclaim(ReclaimSettings settings) {
    return Reclaimer.of(TrainingStream.open(store, time), settings).run();
  }

  private void watermark(long step) {
    new RankRecorder(stream, "train", 0, 1, 0, 1).record(new Cursor(stream.id(), 1, step, MESH));
  }

  private Manifest head() {
    return stream.log().newest();
  }

  private List<String> keys(String prefix) {
    return memory.keys().stream().filter(key -> key.startsWith(prefix)).toList();
  }

  /** Every invariant that can be seen in what is stored, every byte of it. */
  private void verifyIntact() {
    List<Finding> errors = new ArrayList<>();
    VerifyResult result =
        StreamVerifier.of(TrainingStream.open(store, time))
            .listener(
                new VerifyListener() {
                  @Override
                  public void found(Finding finding) {
                    if (finding.severity() == Finding.Severity.ERROR) {
                      errors.add(finding);
                    }
                  }
                })
            .verify();
    assertThat(errors).isEmpty();
    assertThat(result.isIntact()).isTrue();
  }

  @Test
  void withoutWatermarksAndTagsNothingIsTrimmed() {
    writer.commits(10, 2);
    ReclaimResult result = reclaim(AT_ONCE);
    assertThat(result.firstStep()).isZero();
    assertThat(result.heldBy()).isEmpty();
    assertThat(result.deleted(Kind.BUNDLE).objects()).isZero();
    assertThat(keys("data/")).hasSize(10);
    verifyIntact();
  }

  @Test
  void whatIsBelowTheWatermarkGoesAndTheBundleAcrossItStays() {
    writer.commits(10, 2);
    watermark(7);
    ReclaimResult result = reclaim(AT_ONCE);
    assertThat(result.firstStepBefore()).isZero();
    assertThat(result.firstStep()).isEqualTo(7);
    assertThat(head().firstStep()).isEqualTo(7);
    assertThat(head().firstRow()).isEqualTo(14);
    assertThat(result.deleted(Kind.BUNDLE).objects()).isEqualTo(3);
    assertThat(result.heldBy()).map(Hold::name).contains("train");
    assertThat(keys("data/")).hasSize(7);
    verifyIntact();
  }

  @Test
  void aSecondRunFindsNothingToDo() {
    writer.commits(70, 1);
    watermark(50);
    reclaim(AT_ONCE);
    List<String> after = memory.keys();
    ReclaimResult again = reclaim(AT_ONCE);
    assertThat(again.total().objects()).isZero();
    assertThat(memory.keys()).isEqualTo(after);
  }

  @Test
  void everythingMayGoAndTheStreamGoesOn() {
    writer.commits(5, 1);
    watermark(99);
    ReclaimResult result = reclaim(AT_ONCE);
    assertThat(result.firstStep()).isEqualTo(5);
    assertThat(keys("data/")).isEmpty();
    assertThat(keys("manifest/")).containsExactly(StreamKeys.manifest(head().version()));
    writer.commits(3, 1);
    assertThat(head().nextStep()).isEqualTo(8);
    verifyIntact();
  }

  @Test
  void aTagHoldsUntilItIsRemoved() {
    writer.commits(10, 1);
    watermark(9);
    Tags tags = new Tags(stream);
    tags.create("v1", 4, 6, "");
    assertThat(reclaim(AT_ONCE).heldBy()).map(Hold::name).contains("v1");
    assertThat(head().firstStep()).isEqualTo(4);
    tags.delete("v1");
    reclaim(AT_ONCE);
    assertThat(head().firstStep()).isEqualTo(9);
  }

  @Test
  void aCallerMayNameTheStepButNotPassAWatermark() {
    writer.commits(10, 1);
    assertThat(reclaim(AT_ONCE.trimTo(3)).firstStep()).isEqualTo(3);
    watermark(6);
    assertThat(reclaim(AT_ONCE.trimTo(5)).firstStep()).isEqualTo(5);
    assertThat(reclaim(AT_ONCE.trimTo(8)).firstStep()).isEqualTo(6);
    verifyIntact();
  }

  @Test
  void aWatermarkBelowTheTrimGoesNowhereBack() {
    writer.commits(10, 1);
    watermark(6);
    reclaim(AT_ONCE);
    watermark(2);
    assertThat(reclaim(AT_ONCE).firstStep()).isEqualTo(6);
  }

  @Test
  void aTagWhoseReplyIsLostHolds() {
    writer.commits(10, 1);
    watermark(8);
    store.on(Op.CREATE, key -> key.startsWith("tag/")).times(1).answer(Answer.lostReply());
    Tag tag = new Tags(stream).create("kept", 3, 4, "");
    assertThat(new Tags(stream).all()).containsExactly(tag);
    assertThat(head().operation()).isEqualTo("tag");
    assertThat(reclaim(AT_ONCE).firstStep()).isEqualTo(3);
  }

  @Test
  void aTagThatCouldNotBeMadeKnownIsTakenBack() {
    writer.commits(10, 1);
    store.on(Op.CREATE, key -> key.startsWith("manifest/")).answer(Answer.denied());
    assertThatThrownBy(() -> new Tags(stream).create("kept", 3, 4, ""))
        .isInstanceOf(StoreException.class);
    store.heal();
    assertThat(new Tags(stream).all()).isEmpty();
  }

  /**
   * Another reclaimer trims, and deletes a segment, while this one is in the middle of a newer
   * manifest: what it had not reached yet is live all the same.
   */
  @Test
  void aSegmentThatGoesWhileItsNeighboursAreBeingReadHidesNothing() {
    writer.commits(5, 1);
    watermark(1);
    int[] segments = {0};
    boolean[] grown = {false};
    store
        .on(Op.LIST, key -> key.equals("data/"))
        .times(1)
        .answer(
            request -> {
              writer.commits(250, 1);
              grown[0] = true;
              return request.proceed();
            });
    store
        .on(Op.READ, key -> key.startsWith("segment/"))
        .answer(
            request -> {
              if (grown[0] && ++segments[0] == 2) { // the root has been read, its first child not
                watermark(100);
                Reclaimer.of(TrainingStream.open(memory, time), AT_ONCE).run();
              }
              return request.proceed();
            });
    reclaim(AT_ONCE);
    assertThat(segments[0]).isGreaterThan(2);
    assertThat(head().firstStep()).isEqualTo(100);
    verifyIntact();
  }

  /** Nobody else commits: the tag's own commit makes the trim look again. */
  @Test
  void aTagThatIsMadeWhileTheTrimIsUnderWayIsRespected() {
    writer.commits(10, 1);
    watermark(8);
    boolean[] once = {false};
    store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .answer(
            request -> {
              if (!once[0]) {
                once[0] = true;
                new Tags(TrainingStream.open(memory, time)).create("late", 3, 4, "");
              }
              return request.proceed();
            });
    assertThat(reclaim(AT_ONCE).firstStep()).isEqualTo(3);
  }

  /** B17, first half: written, not yet published, and older than any age that is configured. */
  @Test
  void aBundleThatIsWrittenAndNotYetPublishedIsNotGarbage() {
    writer.commits(3, 1);
    StagedBundle underWay = writer.stage(1);
    time.pass(Duration.ofDays(400));
    ReclaimResult result = reclaim(AT_ONCE);
    assertThat(result.pending().objects()).isEqualTo(1);
    writer.publish(underWay);
    assertThat(head().nextStep()).isEqualTo(4);
    verifyIntact();
  }

  /** B17: listed as unreferenced, and published before the newest manifest is read. */
  @Test
  void aBundleThatIsPublishedBetweenTheListingAndTheDecisionIsNotGarbage() {
    writer.commits(3, 1);
    StagedBundle racing = writer.stage(1);
    boolean[] once = {false};
    store
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
    reclaim(AT_ONCE);
    assertThat(once[0]).isTrue();
    assertThat(memory.keys()).contains(racing.object());
    verifyIntact();
  }

  /** B17, second half: a registered reader keeps what it reads; another is told. */
  @Test
  void aRegisteredReaderKeepsItsObjectsWhateverElseMovesOn() {
    writer.commits(20, 1);
    RankRecorder slow = new RankRecorder(stream, "slow", 0, 1, 0, 1);
    slow.register(new Cursor(stream.id(), 1, 5, MESH));
    watermark(20);
    reclaim(AT_ONCE);
    assertThat(head().firstStep()).isEqualTo(5);
    for (BundleDescriptor bundle : stream.history(head()).bundles(5, 100)) {
      assertThat(memory.keys()).contains(bundle.bundle().object());
    }
  }

  @Test
  void whatAFailedAttemptLeftGoesWhenItsLineageHasGonePast() {
    writer.commits(2, 1);
    StagedBundle left = writer.stage(1); // after checkpoint 2, and never committed
    reclaim(AT_ONCE);
    assertThat(memory.keys()).contains(left.object());
    writer.commits(1, 1); // checkpoint 3: the attempt that came after
    List<Deletion> deleted = new ArrayList<>();
    Reclaimer.of(TrainingStream.open(store, time), AT_ONCE).listener(deleted::add).run();
    assertThat(deleted)
        .filteredOn(deletion -> deletion.kind() == Kind.BUNDLE)
        .singleElement()
        .satisfies(
            deletion -> {
              assertThat(deletion.key()).isEqualTo(left.object());
              assertThat(deletion.bytes()).isEqualTo(left.objectLength());
              assertThat(deletion.why()).contains("published past checkpoint 2");
            });
    verifyIntact();
  }

  @Test
  void bundlesOfAnOwnerThatNoManifestNamesGoByAge() {
    writer.commits(1, 1);
    StagedBundle unknown = writer.stage(new UUID(7, 7), 0, 1);
    ReclaimSettings week = AT_ONCE.orphanAge(Duration.ofDays(7));
    time.pass(Duration.ofDays(6));
    assertThat(reclaim(week).pending().objects()).isEqualTo(1);
    time.pass(Duration.ofDays(2));
    assertThat(reclaim(week).deleted(Kind.BUNDLE).objects()).isEqualTo(1);
    assertThat(memory.keys()).doesNotContain(unknown.object());
  }

  @Test
  void aClockThatRunsAheadMakesNothingOld() {
    writer.commits(1, 1);
    StagedBundle young = writer.stage(new UUID(7, 7), 0, 1);
    VirtualTime ahead = new VirtualTime();
    ahead.pass(Duration.ofDays(30));
    ReclaimResult result =
        Reclaimer.of(TrainingStream.open(store, ahead), ReclaimSettings.DEFAULT.keepManifests(1))
            .run();
    assertThat(result.total().objects()).isZero();
    assertThat(memory.keys()).contains(young.object());
    assertThat(keys("probe/")).isEmpty();
  }

  /** B12: a producer that is silent blocks nobody, and loses neither its place nor its work. */
  @Test
  void anIdleProducerBlocksNoReclamationAndKeepsItsSequence() {
    Writer idle = new Writer("idle", new UUID(0xb, 0xb));
    idle.commits(1, 1);
    writer.commits(100, 1);
    watermark(90);
    ReclaimResult result = reclaim(AT_ONCE);
    assertThat(result.firstStep()).isEqualTo(90);
    assertThat(keys("data/")).hasSize(11);
    assertThat(keys("manifest/")).hasSize(1);
    assertThat(head().producer("idle").orElseThrow().currentLineage().sequence()).isEqualTo(1);
    idle.commits(1, 1);
    assertThat(head().nextStep()).isEqualTo(102);
    verifyIntact();
  }

  /** B48: strange neighbours, some of them close to names of ours. */
  @Test
  void foreignKeysAreNeverDeleted() {
    writer.commits(70, 1);
    String bundle = keys("data/").get(0);
    String segment = keys("segment/").get(0);
    List<String> foreign =
        List.of(
            "_tmp",
            "README.md",
            "data/_tmp",
            "data/00/part-0.parquet",
            bundle + ".crc",
            bundle.replace(".bundle", ".BUNDLE"),
            bundle.replaceFirst("data/..", bundle.startsWith("data/00") ? "data/01" : "data/00"),
            "segment/_tmp",
            segment + ".bak",
            segment.replaceFirst(
                "segment/..", segment.startsWith("segment/00") ? "segment/01" : "segment/00"),
            "manifest/.crc",
            "manifest/00000012.json.bak",
            "manifest/00000000000000000001.manifest.bak",
            "manifest/99999999999999999999.manifest",
            "probe/notes",
            "tag/a b",
            "watermark/train/x");
    for (String key : foreign) {
      Futures.await(memory.put(key, Payload.of(new byte[] {1})));
    }
    watermark(70);
    time.pass(Duration.ofDays(1000));
    reclaim(AT_ONCE);
    assertThat(keys("data/")).allMatch(foreign::contains);
    assertThat(memory.keys()).containsAll(foreign).contains("stream", "watermark/train/0");
  }

  @Test
  void pagesOfSevenHideNothing() {
    writer.commits(70, 1);
    watermark(65);
    store.on(Op.LIST).answer(Answer.pagesOf(7));
    ReclaimResult result = reclaim(AT_ONCE);
    assertThat(result.deleted(Kind.BUNDLE).objects()).isEqualTo(65);
    assertThat(keys("manifest/")).hasSize(1);
    store.heal();
    verifyIntact();
  }

  @Test
  void theNewestManifestsStayAndTheHeadAlways() {
    writer.commits(30, 1);
    ReclaimSettings ten = AT_ONCE.keepManifests(10);
    ReclaimResult result = reclaim(ten);
    assertThat(keys("manifest/")).hasSize(10);
    assertThat(result.oldestManifest()).isEqualTo(head().version() - 9);
    reclaim(AT_ONCE);
    assertThat(keys("manifest/")).containsExactly(StreamKeys.manifest(head().version()));
  }

  @Test
  void manifestsWhoseSuccessorIsYoungStay() {
    writer.commits(10, 1);
    time.pass(Duration.ofMinutes(50));
    writer.commits(10, 1);
    time.pass(Duration.ofMinutes(20));
    reclaim(AT_ONCE.manifestAge(Duration.ofHours(1)));
    // 0 is the creation, 1 the takeover; the successor of the tenth commit is 20 minutes old.
    assertThat(keys("manifest/").get(0)).isEqualTo(StreamKeys.manifest(11));
    time.pass(Duration.ofHours(1));
    reclaim(AT_ONCE.manifestAge(Duration.ofHours(1)));
    assertThat(keys("manifest/")).hasSize(1);
  }

  @Test
  void readersAtARetainedManifestFindTheirSegments() {
    writer.commits(300, 1);
    watermark(120);
    reclaim(AT_ONCE.keepManifests(60));
    int readable = 0;
    for (long version = head().version(); version >= 0; version--) {
      var manifest = TrainingStream.open(store, time).log().at(version);
      if (manifest.isPresent()) {
        readable++;
        // A stream of its own, so that nothing comes out of a cache.
        var bundles =
            TrainingStream.open(store, time)
                .history(manifest.get())
                .bundles(manifest.get().firstStep(), Integer.MAX_VALUE);
        assertThat(bundles).isNotEmpty();
      }
    }
    assertThat(readable).isEqualTo(60);
    verifyIntact();
  }

  @Test
  void segmentsThatNothingLeadsToGo() {
    writer.commits(400, 1);
    int before = keys("segment/").size();
    reclaim(AT_ONCE);
    Set<String> live = new TreeSet<>();
    stream.history(head()).segments().forEach(ref -> live.add(ref.object()));
    assertThat(keys("segment/")).hasSizeLessThan(before).containsExactlyElementsOf(live);
    watermark(400);
    reclaim(AT_ONCE);
    assertThat(keys("segment/")).isEmpty();
  }

  @Test
  void segmentsOfACommitThatIsUnderWayStay() {
    writer.commits(10, 1);
    String underWay = StreamKeys.segment(head().version() + 1, UUID.randomUUID());
    String lost = StreamKeys.segment(head().version(), UUID.randomUUID());
    Futures.await(memory.put(underWay, Payload.of(new byte[] {1})));
    Futures.await(memory.put(lost, Payload.of(new byte[] {1})));
    reclaim(AT_ONCE);
    assertThat(keys("segment/")).containsExactly(underWay);
  }

  /** A writer that slept makes a manifest whose number had been freed, right below the run. */
  @Test
  void aDeadManifestBelowTheRunIsNotTakenForTheOldestOne() {
    writer.commits(120, 1);
    Manifest slept = stream.log().at(40).orElseThrow();
    reclaim(AT_ONCE.keepManifests(80));
    long oldest =
        keys("manifest/").stream()
            .mapToLong(key -> StreamKeys.manifestVersion(key).orElseThrow())
            .min()
            .orElseThrow();
    assertThat(oldest).isEqualTo(42);
    time.pass(Duration.ofMinutes(1));
    Manifest dead = new Chain(store, time).childOf(slept);
    assertThat(dead.version()).isEqualTo(41);
    new Chain(store, time).overwrite(dead, slept);
    // One that is too young to go stops the sweep; it must not count as the bottom of the run.
    ReclaimResult result = reclaim(AT_ONCE.keepManifests(80).manifestAge(Duration.ofMinutes(5)));
    assertThat(memory.keys()).contains(StreamKeys.manifest(41));
    assertThat(result.oldestManifest()).isEqualTo(42);
    for (long version = 42; version <= head().version(); version++) {
      Manifest manifest = stream.log().at(version).orElseThrow();
      TrainingStream.open(store, time).history(manifest).bundles(0, Integer.MAX_VALUE);
    }
    verifyIntact();
  }

  @Test
  void aDryRunSaysWhatARunDeletesAndWritesNothing() {
    writer.commits(150, 1);
    watermark(77);
    StagedBundle orphan = writer.stage(new UUID(7, 7), 0, 1);
    time.pass(Duration.ofDays(8));
    ReclaimSettings settings =
        ReclaimSettings.DEFAULT.keepManifests(20).manifestAge(Duration.ofHours(1));
    store.log().clear();
    Set<String> announced = new TreeSet<>();
    ReclaimResult dry =
        Reclaimer.of(TrainingStream.open(store, time), settings.dryRun(true))
            .listener(deletion -> announced.add(deletion.key()))
            .run();
    assertThat(store.log().count(Op.PUT)).isZero();
    assertThat(store.log().count(Op.CREATE)).isZero();
    assertThat(store.log().count(Op.DELETE)).isZero();
    assertThat(dry.dryRun()).isTrue();
    assertThat(dry.firstStep()).isEqualTo(77);
    assertThat(head().firstStep()).isZero();

    Set<String> before = new TreeSet<>(memory.keys());
    Set<String> heard = new TreeSet<>();
    ReclaimResult wet =
        Reclaimer.of(TrainingStream.open(store, time), settings)
            .listener(deletion -> heard.add(deletion.key()))
            .run();
    before.removeAll(memory.keys());
    assertThat(before).isEqualTo(heard).contains(orphan.object());
    // The commit that trims makes one manifest more, so that one more of the old ones may go.
    heard.removeAll(announced);
    assertThat(heard).containsExactly(StreamKeys.manifest(132));
    assertThat(wet.deleted(Kind.BUNDLE)).isEqualTo(dry.deleted(Kind.BUNDLE));
    assertThat(wet.firstStep()).isEqualTo(dry.firstStep());
  }

  @Test
  void killedAnywhereItLeavesAnIntactStreamAndTheNextRunEnds() {
    for (int deletions = 0; ; deletions += 23) {
      ReclaimerTest world = new ReclaimerTest();
      if (!world.killedAfter(deletions)) {
        assertThat(deletions).isGreaterThan(100);
        return;
      }
    }
  }

  private boolean killedAfter(int deletions) {
    writer.commits(130, 1);
    watermark(100);
    store.on(Op.DELETE).after(deletions).answer(Answer.fail(Fault.DENIED));
    boolean killed = false;
    try {
      reclaim(AT_ONCE.keepManifests(5));
    } catch (StoreException e) {
      killed = true;
    }
    store.heal();
    verifyIntact();
    reclaim(AT_ONCE.keepManifests(5));
    assertThat(keys("data/")).hasSize(30);
    assertThat(keys("manifest/")).hasSize(5);
    verifyIntact();
    return killed;
  }

  @Test
  void aDeletionThatIsRefusedEndsTheRunAndNamesTheObject() {
    writer.commits(10, 1);
    watermark(5);
    store.on(Op.DELETE, key -> key.startsWith("data/")).answer(Answer.fail(Fault.DENIED));
    assertThatThrownBy(() -> reclaim(AT_ONCE))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("data/");
  }

  @Test
  void aSegmentThatCannotBeReadStopsItBeforeAnythingIsDeleted() {
    writer.commits(100, 1);
    watermark(20);
    String root = head().sealed().orElseThrow().object();
    Futures.await(memory.put(root, Payload.of(new byte[] {1, 2, 3})));
    List<String> before = keys("data/");
    assertThatThrownBy(() -> reclaim(AT_ONCE)).isInstanceOf(RuntimeException.class);
    assertThat(keys("data/")).isEqualTo(before);
  }

  @Test
  void uploadsThatNeverEndedAreAbortedWhenTheyAreOld() {
    writer.commits(1, 1);
    List<PendingUpload> uploads = Collections.synchronizedList(new ArrayList<>());
    String ours = BundleName.create(writer.owner, 0, 0).object();
    long now = time.currentTimeMillis();
    uploads.add(new PendingUpload(ours, "old", now - Duration.ofDays(2).toMillis()));
    uploads.add(new PendingUpload(ours, "young", now - Duration.ofHours(2).toMillis()));
    uploads.add(new PendingUpload("data/foreign", "f", 0));
    List<Deletion> deleted = new ArrayList<>();
    Reclaimer.of(
            TrainingStream.open(new UploadingStore(store, uploads), time), AT_ONCE.dryRun(true))
        .listener(deleted::add)
        .run();
    assertThat(uploads).hasSize(3);
    ReclaimResult result =
        Reclaimer.of(TrainingStream.open(new UploadingStore(store, uploads), time), AT_ONCE).run();
    assertThat(result.deleted(Kind.UPLOAD).objects()).isEqualTo(1);
    assertThat(uploads).extracting(PendingUpload::id).containsExactly("young", "f");
    assertThat(deleted)
        .filteredOn(deletion -> deletion.kind() == Kind.UPLOAD)
        .singleElement()
        .extracting(Deletion::key)
        .isEqualTo(ours);
  }

  /** B47: the address of the stream needs escaping. */
  @Test
  void aStreamUnderAStrangePathIsReclaimed(@TempDir Path directory) throws Exception {
    Path parent = Files.createDirectories(directory.resolve("a b+c%20#ü=é & ~"));
    try (var files = Stores.open(parent.resolve("s 1").toString(), Map.of("file.sync", "false"))) {
      var written =
          dev.lakestream.consumer.WrittenStream.even(files, MESH, 4).commit(2).commit(2).commit(2);
      new RankRecorder(written.stream(), "train", 0, 1, 0, 1)
          .record(new Cursor(written.stream().id(), 1, 4, MESH));
      ReclaimResult result = Reclaimer.of(written.stream(), AT_ONCE).run();
      assertThat(result.firstStep()).isEqualTo(4);
      assertThat(result.deleted(Kind.BUNDLE).objects()).isEqualTo(2);
      assertThat(StreamVerifier.of(TrainingStream.open(files)).verify().isIntact()).isTrue();
    }
  }
}
