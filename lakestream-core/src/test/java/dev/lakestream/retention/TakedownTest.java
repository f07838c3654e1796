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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.RankStep;
import dev.lakestream.consumer.ReaderSettings;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.Redaction;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TakedownTest {

  private static final Mesh MESH = new Mesh(2, 2);
  private static final int RECORDS = 3;

  private final FaultyStore store = FaultyStore.inMemory();

  /** 45 commits of a bundle of one step and one of two: 135 steps, most of them sealed. */
  private WrittenStream records() {
    WrittenStream written =
        new WrittenStream(store, MESH, "records", TakedownTest::slice).compressed(Compression.ZSTD);
    for (int i = 0; i < 45; i++) {
      written.commit(1, 2);
    }
    assertThat(written.head().sealed()).isPresent();
    return written;
  }

  private static Slice slice(long step, int d, int c) {
    List<ByteBuffer> records = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      records.add(ByteBuffer.wrap(record(step, d, c, i).getBytes(UTF_8)));
    }
    return new Slice(RecordSlice.encode(records), RECORDS);
  }

  /** Record 2 of each tenth step is the same everywhere. */
  private static String record(long step, int d, int c, int i) {
    return i == 2 && step % 10 == 0 ? "twin" : step + "/" + d + "/" + c + "/" + i;
  }

  private static Takedown.Request request(long from, long to, Removal removal) {
    return new Takedown.Request(from, to, removal, "asked for by its author");
  }

  private static Removal numbers(int d, int c, Integer... records) {
    return new Removal.Records(d, c, new TreeSet<>(List.of(records)));
  }

  private Takedown takedown() {
    return new Takedown(TrainingStream.open(store), List.of());
  }

  /** What a rank reads from the step to the end of the stream, as it is now. */
  private List<List<String>> read(int d, int c, long fromStep) {
    List<List<String>> steps = new ArrayList<>();
    try (RankReader reader = RankReader.open(store, new RankPosition(MESH, d, c))) {
      reader.seek(fromStep);
      for (long step = fromStep; step < 135; step++) {
        steps.add(
            RecordSlice.decode(reader.next().slice().bytes()).records().stream()
                .map(record -> UTF_8.decode(record).toString())
                .toList());
      }
    }
    return steps;
  }

  private static List<List<String>> written(int d, int c) {
    List<List<String>> steps = new ArrayList<>();
    for (long step = 0; step < 135; step++) {
      long number = step;
      steps.add(
          new ArrayList<>(
              IntStream.range(0, RECORDS).mapToObj(i -> record(number, d, c, i)).toList()));
    }
    return steps;
  }

  private void requireIntact() {
    List<Finding> findings = new ArrayList<>();
    StreamVerifier.of(TrainingStream.open(store))
        .listener(
            new VerifyListener() {
              @Override
              public void found(Finding finding) {
                findings.add(finding);
              }
            })
        .verify();
    assertThat(findings).noneMatch(f -> f.severity() == Finding.Severity.ERROR);
  }

  private BundleDescriptor bundleOf(long step) {
    TrainingStream stream = TrainingStream.open(store);
    return stream.history(stream.log().newest()).bundleOf(step).orElseThrow();
  }

  @Test
  void aRecordLeavesASealedStepAndTheManifestSaysSo() {
    records();
    BundleDescriptor before = bundleOf(7);
    Takedown.Result result = takedown().run(request(7, 8, numbers(1, 0, 0, 2)));

    assertThat(result.redactions()).containsOnlyKeys(7L).containsEntry(7L, 2L);
    assertThat(result.rewritten()).containsExactly(before);
    BundleDescriptor after = bundleOf(7);
    assertThat(after.bundle().object()).isNotEqualTo(before.bundle().object());
    assertThat(after.redactions(7))
        .singleElement()
        .satisfies(
            redaction -> {
              assertThat(redaction.records()).isEqualTo(2);
              assertThat(redaction.reason()).isEqualTo("asked for by its author");
            });
    assertThat(after.redactions(8)).isEmpty();
    assertThat(after.bundle().records()).isEqualTo(before.bundle().records() - 2);
    List<List<String>> expected = written(1, 0);
    expected.set(7, List.of(record(7, 1, 0, 1)));
    assertThat(read(1, 0, 0)).isEqualTo(expected);
    assertThat(read(0, 0, 0)).isEqualTo(written(0, 0));
    requireIntact();
  }

  @Test
  void aRankIsToldOfEachStepWhatWasTakenOutOfItInEveryMode() {
    records();
    takedown().run(request(7, 8, numbers(1, 0, 0, 2)));
    takedown().run(request(7, 8, numbers(0, 1, 1)));
    for (ReadMode mode : ReadMode.values()) {
      Mesh mesh = new Mesh(mode == ReadMode.EXACT ? 2 : 3, 2);
      ReaderSettings settings = ReaderSettings.DEFAULT.withMode(mode);
      for (int d = 0; d < mesh.dp(); d++) {
        RankPosition rank = new RankPosition(mesh, d, 0);
        Set<Long> told = new TreeSet<>();
        Set<Long> read = new TreeSet<>();
        try (RankReader reader = RankReader.open(TrainingStream.open(store), rank, settings)) {
          while (read.stream().noneMatch(step -> step >= 12)) {
            RankStep step = reader.next();
            read.add(step.step());
            if (!step.redactions().isEmpty()) {
              told.add(step.step());
              assertThat(step.parts()).allMatch(part -> part.part().step() == 7);
              assertThat(step.redactions()).extracting(Redaction::records).containsExactly(2L, 1L);
            }
          }
        }
        // Rows 14 and 15 are those of step 7: of three ranks, number 1 has neither.
        boolean passedOver = mode == ReadMode.ROWS && d == 1;
        assertThat(told).isEqualTo(passedOver ? Set.of() : Set.of(7L));
      }
    }
  }

  @Test
  void aRecordLeavesTheNewestStepAndProducersGoOn() {
    WrittenStream written = records();
    Manifest before = written.head();
    takedown().run(request(134, 135, numbers(0, 1, 1)));
    Manifest head = TrainingStream.open(store).log().newest();
    assertThat(head.nextStep()).isEqualTo(before.nextStep());
    assertThat(head.nextRow()).isEqualTo(before.nextRow());
    assertThat(head.producers()).isEqualTo(before.producers());
    assertThat(head.operation()).isEqualTo("takedown");
    assertThat(read(0, 1, 134))
        .containsExactly(List.of(record(134, 0, 1, 0), record(134, 0, 1, 2)));

    written.commit(1, 1);
    assertThat(bundleOf(135).producerId()).isEqualTo("writer");
    requireIntact();
  }

  @Test
  void aReaderThatFollowsByDeltasSeesWhatANewcomerSees() {
    WrittenStream written = records();
    Manifest known = written.head();
    takedown().run(request(3, 4, numbers(0, 0, 0)));
    takedown().run(request(133, 134, numbers(0, 0, 0)));
    TrainingStream stream = TrainingStream.open(store);
    assertThat(stream.log().newest(known)).isEqualTo(stream.log().newest());
  }

  @Test
  void contentIsFoundWhereverItIs() {
    records();
    String digest = sha256("twin");
    Takedown.Result rehearsal =
        takedown().rehearse(request(0, 135, new Removal.Contents(Set.of(digest))));
    long puts = store.log().count(Op.PUT);
    assertThat(rehearsal.version()).isEmpty();
    assertThat(rehearsal.records()).isEqualTo(14 * 4);

    Takedown.Result result = takedown().run(request(0, 135, new Removal.Contents(Set.of(digest))));
    assertThat(store.log().count(Op.PUT)).isGreaterThan(puts);
    assertThat(result.redactions()).isEqualTo(rehearsal.redactions());
    assertThat(read(1, 1, 0)).noneMatch(step -> step.contains("twin")).hasSize(135);
    requireIntact();

    assertThat(takedown().run(request(0, 135, new Removal.Contents(Set.of(digest)))).version())
        .as("there is nothing left to take out")
        .isEmpty();
  }

  private static String sha256(String text) {
    try {
      return java.util.HexFormat.of()
          .formatHex(
              java.security.MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void twoTakedownsOfOneBundleAtOnceBothCount() {
    records();
    duringTheFirstRewrite(() -> takedown().run(request(8, 9, numbers(0, 0, 1))));
    Takedown.Result result = takedown().run(request(7, 8, numbers(0, 0, 0)));
    assertThat(result.redactions()).containsOnlyKeys(7L);
    assertThat(bundleOf(7)).isEqualTo(bundleOf(8));
    assertThat(bundleOf(7).redactions()).extracting(Redaction::tgb).containsExactly(0, 1);
    List<List<String>> expected = written(0, 0);
    expected.get(7).remove(0);
    expected.get(8).remove(1);
    assertThat(read(0, 0, 0)).isEqualTo(expected);
    requireIntact();
  }

  /** Whoever was faster may have moved the records that the numbers meant. */
  @Test
  void recordsByNumberAreNotTakenOutOfAStepThatAnotherTakedownHasChanged() {
    records();
    duringTheFirstRewrite(() -> takedown().run(request(7, 8, numbers(0, 0, 0))));
    assertThatThrownBy(() -> takedown().run(request(7, 8, numbers(0, 0, 1))))
        .isInstanceOf(LakestreamException.class)
        .hasMessageContaining("step 7")
        .hasMessageContaining("asked for by its author");
    List<List<String>> expected = written(0, 0);
    expected.get(7).remove(0);
    assertThat(read(0, 0, 0)).isEqualTo(expected);
    requireIntact();
  }

  /** What is decided on one base must not leak into the next one. */
  @Test
  void aBundleThatAnotherTakedownReplacedIsDoneAgainThoughTheStoreFailsInBetween() {
    records();
    duringTheFirstRewrite(
        () -> {
          takedown().run(request(0, 1, numbers(0, 0, 0)));
          store
              .on(Op.READ_SUFFIX, key -> key.startsWith("data/"))
              .times(1)
              .answer(Answer.serverError());
        });
    Removal twins = new Removal.Contents(Set.of(sha256("twin")));
    Takedown.Result result = takedown().run(request(0, 21, twins));
    assertThat(result.redactions()).containsOnlyKeys(0L, 10L, 20L);
    assertThat(read(0, 0, 0).subList(0, 21)).noneMatch(step -> step.contains("twin"));
    requireIntact();
  }

  /** Frozen right before its commit, it has looked at its bundles for the last time. */
  @Test
  void reclamationDuringTheCommitLeavesTheNewBundles() {
    records();
    store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .answer(
            asked -> {
              Reclaimer.of(
                      TrainingStream.open(store),
                      ReclaimSettings.DEFAULT
                          .keepManifests(1)
                          .manifestAge(Duration.ZERO)
                          .orphanAge(Duration.ZERO))
                  .run();
              return asked.proceed();
            });
    takedown().run(request(7, 8, numbers(1, 0, 1)));
    store.heal();
    List<List<String>> expected = written(1, 0);
    expected.get(7).remove(1);
    assertThat(read(1, 0, 0)).isEqualTo(expected);
    assertThat(TrainingStream.open(store).log().newest().producers())
        .noneMatch(producer -> producer.producerId().startsWith("takedown"));
    requireIntact();
  }

  @Test
  void whatFailsLeavesNoProducerBehind() {
    WrittenStream written = records();
    store.on(Op.PUT, key -> key.startsWith("data/")).after(1).times(1).answer(Answer.denied());
    Removal twins = new Removal.Contents(Set.of(sha256("twin")));
    assertThatThrownBy(() -> takedown().run(request(0, 21, twins)))
        .isInstanceOf(StoreException.class);
    assertThat(written.head().producers()).hasSize(1);
    assertThat(read(0, 0, 0)).isEqualTo(written(0, 0));
  }

  private void duringTheFirstRewrite(Runnable other) {
    AtomicBoolean first = new AtomicBoolean(true);
    store
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

  @Test
  void aLostReplyOfTheCommitTakesOutOnce() {
    records();
    store.on(Op.CREATE, key -> key.startsWith("manifest/")).times(1).answer(Answer.lostReply());
    Takedown.Result result = takedown().run(request(20, 21, numbers(1, 1, 2)));
    assertThat(result.version()).hasValue(TrainingStream.open(store).log().newest().version());
    assertThat(bundleOf(20).redactions()).hasSize(1);
    requireIntact();
  }

  @Test
  void whatCannotBeTakenOutIsRefusedAndNothingChanges() {
    WrittenStream written = records();
    written.trim(5);
    long version = written.head().version();
    assertThatThrownBy(() -> takedown().run(request(2, 3, numbers(0, 0, 0))))
        .isInstanceOf(TrimmedException.class);
    assertThatThrownBy(() -> takedown().run(request(135, 136, numbers(0, 0, 0))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("ends before step 135");
    assertThatThrownBy(() -> takedown().run(request(9, 10, numbers(0, 0, 3))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("there is no record 3");
    assertThatThrownBy(() -> takedown().run(request(9, 10, numbers(2, 0, 0))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("mesh of 2x2");
    assertThatThrownBy(() -> takedown().run(request(9, 10, new Removal.Samples(Set.of(1L)))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("no sample ids");
    assertThat(written.head().version()).isEqualTo(version);
  }

  @Test
  void rawSlicesHaveNoRecordsToTakeOut() {
    WrittenStream.uneven(store, new Mesh(1, 1)).commit(1);
    assertThatThrownBy(() -> takedown().run(request(0, 1, numbers(0, 0, 0))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("format \"raw\"");
  }

  @Test
  void aDocumentLeavesAllItsSequencesAndTheyKeepTheirLength() {
    TokenFormat format = new TokenFormat(8, 2, TokenWidth.U16, 0);
    new WrittenStream(
            store,
            MESH,
            "tokens",
            (step, d, c) ->
                new Slice(
                    TokenSlice.encode(
                        format,
                        c,
                        List.of(
                            List.of(segment(100 + step, 0, 1, 2, 3), segment(7, 0, 4, 5, 6, 9)),
                            List.of(segment(7, 4, 10, 11), segment(200, 0, 12)),
                            List.of(segment(7, 6, 13)))),
                    3))
        .commit(2, 1);
    Takedown.Result result = takedown().run(request(0, 3, new Removal.Samples(Set.of(7L))));
    assertThat(result.redactions()).containsEntry(0L, 6L).containsEntry(2L, 6L);

    List<TokenSlice> chunks = new ArrayList<>();
    for (int c = 0; c < 2; c++) {
      try (RankReader reader = RankReader.open(store, new RankPosition(MESH, 1, c))) {
        chunks.add(TokenSlice.decode(reader.next().slice().bytes()));
      }
    }
    assertThat(chunks.get(0).count()).isEqualTo(3);
    assertThat(chunks.get(0).tokens(0)).containsExactly(1, 2, 3, 0);
    assertThat(chunks.get(1).tokens(0)).containsExactly(0, 0, 0, 0);
    assertThat(chunks.get(0).tokens(1)).containsExactly(12, 0, 0, 0);
    assertThat(chunks.get(0).boundaries(1)).containsExactly(new TokenSlice.Boundary(0, 0, 200));
    assertThat(chunks.get(0).paddingFrom(2)).isZero();
    requireIntact();
  }

  private static TokenSegment segment(long id, int position, int... tokens) {
    return new TokenSegment(id, position, IntBuffer.wrap(tokens));
  }

  @Test
  void aDescriptorFollowsOnlyOneThatItContinues() {
    records();
    BundleDescriptor before = bundleOf(7);
    takedown().run(request(7, 8, numbers(0, 0, 0)));
    BundleDescriptor after = bundleOf(7);
    assertThat(after.mayFollow(before)).isTrue();
    assertThat(before.mayFollow(after)).isFalse();
    assertThat(bundleOf(9).mayFollow(before)).isFalse();
  }
}
