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

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.CommitLoop;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Finding.Check;
import dev.lakestream.retention.Finding.Severity;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class StreamVerifierTest {

  private final MemoryStore store = new MemoryStore();
  private final List<Finding> findings = new ArrayList<>();

  private VerifyResult verify(boolean quick) {
    findings.clear();
    StreamVerifier verifier =
        StreamVerifier.of(TrainingStream.open(store))
            .listener(
                new VerifyListener() {
                  @Override
                  public void found(Finding finding) {
                    findings.add(finding);
                  }
                });
    return quick ? verifier.quick().verify() : verifier.verify();
  }

  private List<Finding> errors() {
    return findings.stream().filter(f -> f.severity() == Severity.ERROR).toList();
  }

  private static void longHistory(WrittenStream written) {
    for (int i = 0; i < 45; i++) {
      written.commit(1, 2);
    }
  }

  private void change(String key, UnaryOperator<byte[]> change) {
    Futures.await(store.put(key, Payload.of(change.apply(store.bytes(key)))));
  }

  private void commit(WrittenStream written, UnaryOperator<NextManifest> change) {
    new CommitLoop(written.stream(), CommitSettings.DEFAULT, new Random(3), new CommitMetrics())
        .commit(base -> Optional.of(change.apply(new NextManifest(base, "test"))));
  }

  @Test
  void anIntactStreamHasNoFindings() {
    WrittenStream written =
        WrittenStream.uneven(store, new Mesh(2, 2)).compressed(Compression.ZSTD);
    longHistory(written);
    for (boolean quick : new boolean[] {true, false}) {
      VerifyResult result = verify(quick);
      assertThat(findings).isEmpty();
      assertThat(result.isIntact()).isTrue();
      assertThat(result.manifests()).isEqualTo(written.head().version() + 1);
      assertThat(result.steps()).isEqualTo(135);
      assertThat(result.bundles()).isEqualTo(90);
      assertThat(result.segments()).isPositive();
      assertThat(result.objects()).isEqualTo(store.keys().size());
    }
  }

  @Test
  void anEmptyStreamIsIntact() {
    WrittenStream.uneven(store, new Mesh(1, 1));
    assertThat(verify(false).steps()).isZero();
    assertThat(findings).isEmpty();
  }

  @Test
  void aTrimmedStreamWhoseOldObjectsAreGoneIsIntact() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1));
    longHistory(written);
    List<String> old =
        written.stream().history(written.head()).bundles(0, 30).stream()
            .map(bundle -> bundle.bundle().object())
            .toList();
    written.trim(60);
    old.forEach(key -> Futures.await(store.delete(key)));
    for (long version = 0; version < 30; version++) {
      Futures.await(store.delete(StreamKeys.manifest(version)));
    }
    VerifyResult result = verify(false);
    assertThat(errors()).isEmpty();
    assertThat(result.steps()).isEqualTo(75);
  }

  @Test
  void anyChangedByteOfAnyReferencedObjectIsFound() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(2, 1)).compressed(Compression.LZ4);
    longHistory(written);
    List<String> referenced = new ArrayList<>();
    referenced.add(written.head().tail().get(3).bundle().object());
    referenced.add(
        written.stream().history(written.head()).bundleOf(7).orElseThrow().bundle().object());
    written.stream()
        .history(written.head())
        .segments()
        .forEach(ref -> referenced.add(ref.object()));
    referenced.add(StreamKeys.manifest(written.head().version() - 1));
    referenced.add(StreamKeys.manifest(3));
    Random random = new Random(5);
    for (String key : referenced) {
      byte[] intact = store.bytes(key);
      for (int i = 0; i < 25; i++) {
        int at = random.nextInt(intact.length);
        change(key, bytes -> flipped(bytes, at, random.nextInt(8)));
        verify(false);
        assertThat(errors()).as(key + " at " + at + " of " + intact.length).isNotEmpty();
        change(key, bytes -> intact);
      }
    }
    verify(false);
    assertThat(findings).isEmpty();
  }

  private static byte[] flipped(byte[] bytes, int at, int bit) {
    bytes[at] ^= (byte) (1 << bit);
    return bytes;
  }

  @Test
  void aMissingBundleIsFoundEvenQuickly() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(2, 3);
    String lost = written.head().tail().get(1).bundle().object();
    Futures.await(store.delete(lost));
    assertThat(verify(true).isIntact()).isFalse();
    assertThat(errors())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.check()).isEqualTo(Check.BUNDLES);
              assertThat(found.object()).isEqualTo(lost);
              assertThat(found.message()).contains("Steps 2 to 4");
            });
  }

  @Test
  void aMissingSegmentIsFoundAndTheRestIsVerifiedNevertheless() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1));
    longHistory(written);
    longHistory(written);
    String lost =
        written.stream().history(written.head()).segments().stream()
            .filter(ref -> ref.level() == 0)
            .findFirst()
            .orElseThrow()
            .object();
    Futures.await(store.delete(lost));
    VerifyResult result = verify(false);
    assertThat(errors()).anyMatch(f -> f.check() == Check.SEGMENTS && f.object().equals(lost));
    assertThat(errors()).noneMatch(f -> f.check() == Check.DESCRIPTORS);
    assertThat(result.bundles()).isBetween(64L, 179L);
  }

  @Test
  void aManifestLostFromTheMiddleIsFound() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1).commit(1);
    Futures.await(store.delete(StreamKeys.manifest(1)));
    verify(true);
    assertThat(errors())
        .singleElement()
        .satisfies(found -> assertThat(found.message()).contains("manifest 1 is not"));
    assertThat(written.steps()).isEqualTo(2);
  }

  @Test
  void aManifestCreatedBelowTheLiveOnesIsANote() {
    WrittenStream written =
        WrittenStream.uneven(store, new Mesh(1, 1)).commit(1).commit(1).commit(1).commit(1);
    byte[] slept = store.bytes(StreamKeys.manifest(1));
    for (long version = 0; version < 4; version++) {
      Futures.await(store.delete(StreamKeys.manifest(version)));
    }
    Futures.await(store.put(StreamKeys.manifest(1), Payload.of(slept)));
    assertThat(verify(false).manifests()).isEqualTo(written.head().version() - 3);
    assertThat(findings)
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.severity()).isEqualTo(Severity.NOTE);
              assertThat(found.object()).isEqualTo(StreamKeys.manifest(1));
            });
  }

  @Test
  void anOverwrittenManifestBreaksTheChainOfCommitIds() {
    WrittenStream written =
        WrittenStream.uneven(store, new Mesh(1, 1)).commit(1).commit(1).commit(1);
    Manifest parent = written.stream().log().at(1).orElseThrow();
    Manifest other = written.stream().seal(new NextManifest(parent, "rival"), UUID.randomUUID());
    Futures.await(
        store.put(
            StreamKeys.manifest(2), Payload.of(written.stream().log().encode(other, parent))));
    verify(true);
    assertThat(errors())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.object()).isEqualTo(StreamKeys.manifest(2));
              assertThat(found.message()).contains(other.commitId().toString());
            });
  }

  @Test
  void aDeltaThatSaysSomethingElseThanItsManifestIsFound() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1).commit(1);
    TrainingStream stream = written.stream();
    Manifest head = written.head();
    Manifest parent = stream.log().at(head.version() - 1).orElseThrow();
    Manifest otherOperation =
        new Manifest(
            head.streamId(),
            parent.version(),
            parent.commitId(),
            parent.parentCommitId(),
            parent.createdAt(),
            parent.firstStep(),
            parent.firstRow(),
            head.nextStep(),
            head.nextRow(),
            parent.sealed(),
            head.tail(),
            parent.producers(),
            parent.totalRecords(),
            parent.totalRawBytes(),
            parent.operation());
    // A delta against a parent that already holds the new bundle leaves it out.
    Futures.await(
        store.put(
            StreamKeys.manifest(head.version()),
            Payload.of(stream.log().encode(head, otherOperation))));
    verify(true);
    assertThat(errors())
        .singleElement()
        .satisfies(f -> assertThat(f.check()).isEqualTo(Check.PREFIX));
  }

  @Test
  void aBundleReferencedTwiceIsFoundAndNamesBothSteps() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1, 1);
    StagedBundle first = written.head().tail().get(0).bundle();
    commit(written, next -> next.append(first, "writer", 9));
    verify(true);
    assertThat(errors())
        .anySatisfy(
            found -> {
              assertThat(found.check()).isEqualTo(Check.DESCRIPTORS);
              assertThat(found.message()).contains("as step 0 and as step 2");
            })
        .anySatisfy(found -> assertThat(found.check()).isEqualTo(Check.PRODUCERS));
  }

  @Test
  void aSequenceThatGoesBackIsFound() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1).commit(1);
    commit(
        written,
        next -> {
          ProducerEntry entry = next.base().producer("writer").orElseThrow();
          Lineage lineage = entry.currentLineage();
          return next.producer(
              entry.withLineage(
                  new Lineage(
                      lineage.id(),
                      1,
                      lineage.publishedBy(),
                      lineage.lastCommitVersion(),
                      lineage.position(),
                      lineage.nextStep()),
                  next.base().createdAt()));
        });
    verify(true);
    assertThat(errors())
        .isNotEmpty()
        .allSatisfy(found -> assertThat(found.check()).isEqualTo(Check.PRODUCERS));
  }

  @Test
  void leftoversAndForeignObjectsAreNotesAndAreNotTouched() {
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(1);
    Futures.await(
        store.put(
            written.head().tail().get(0).bundle().object().replace("-0-0-", "-7-0-"),
            Payload.of(new byte[8])));
    List<String> foreign =
        List.of(
            "README.txt",
            "data/ab/x.parquet",
            "manifest/5.manifest",
            "probe/1/a",
            StreamKeys.segment(9, UUID.randomUUID()));
    foreign.forEach(key -> Futures.await(store.put(key, Payload.of(new byte[3]))));
    FaultyStore watched = new FaultyStore(store, Time.SYSTEM);
    VerifyResult result =
        StreamVerifier.of(TrainingStream.open(watched))
            .listener(
                new VerifyListener() {
                  @Override
                  public void found(Finding finding) {
                    findings.add(finding);
                  }
                })
            .verify();
    assertThat(result.isIntact()).isTrue();
    assertThat(result.notes()).isEqualTo(6);
    assertThat(findings.stream().map(Finding::object)).containsAll(foreign);
    for (Op op : Op.values()) {
      assertThat(!op.writes() || watched.log().count(op) == 0).as(op.toString()).isTrue();
    }
  }

  @Test
  void quickLooksOnceAtEachBundle() {
    FaultyStore watched = new FaultyStore(store, Time.SYSTEM);
    WrittenStream.uneven(store, new Mesh(1, 1)).commit(3, 1, 2).commit(5);
    StreamVerifier.of(TrainingStream.open(watched)).quick().verify();
    assertThat(watched.log().count(Op.READ_SUFFIX, "data/")).isEqualTo(4);
    assertThat(watched.log().count(Op.READ, "data/")).isZero();
  }

  @Test
  void aFailureOfTheStoreIsNeverTakenForAnIntactBundle() {
    FaultyStore watched = new FaultyStore(store, Time.SYSTEM);
    WrittenStream.uneven(store, new Mesh(1, 1)).commit(1);
    watched.on(Op.READ_SUFFIX, key -> key.startsWith("data/")).answer(Answer.denied());
    assertThat(StreamVerifier.of(TrainingStream.open(watched)).quick().verify().errors())
        .isEqualTo(1);
  }
}
