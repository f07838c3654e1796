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

import static dev.lakestream.retention.RedactedStream.MESH;
import static dev.lakestream.retention.RedactedStream.numbers;
import static dev.lakestream.retention.RedactedStream.record;
import static dev.lakestream.retention.RedactedStream.request;
import static dev.lakestream.retention.RedactedStream.sha256;
import static dev.lakestream.retention.RedactedStream.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
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
import dev.lakestream.store.Op;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What leaves a stream, what stays, and who is told. */
class TakedownTest {

  private final RedactedStream stream = new RedactedStream();

  @Test
  void aRecordLeavesASealedStepAndTheManifestSaysSo() {
    stream.write();
    BundleDescriptor before = stream.bundleOf(7);
    Takedown.Result result = stream.takedown().run(request(7, 8, numbers(1, 0, 0, 2)));

    assertThat(result.redactions()).containsOnlyKeys(7L).containsEntry(7L, 2L);
    assertThat(result.rewritten()).containsExactly(before);
    BundleDescriptor after = stream.bundleOf(7);
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
    assertThat(stream.read(1, 0, 0)).isEqualTo(expected);
    assertThat(stream.read(0, 0, 0)).isEqualTo(written(0, 0));
    stream.verifyIntact();
  }

  @Test
  void aRankIsToldOfEachStepWhatWasTakenOutOfItInEveryMode() {
    stream.write();
    stream.takedown().run(request(7, 8, numbers(1, 0, 0, 2)));
    stream.takedown().run(request(7, 8, numbers(0, 1, 1)));
    for (ReadMode mode : ReadMode.values()) {
      Mesh mesh = new Mesh(mode == ReadMode.EXACT ? 2 : 3, 2);
      ReaderSettings settings = ReaderSettings.DEFAULT.withMode(mode);
      for (int d = 0; d < mesh.dp(); d++) {
        RankPosition rank = new RankPosition(mesh, d, 0);
        Set<Long> told = new TreeSet<>();
        Set<Long> read = new TreeSet<>();
        try (RankReader reader =
            RankReader.open(TrainingStream.open(stream.store), rank, settings)) {
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
    WrittenStream written = stream.write();
    Manifest before = written.head();
    stream.takedown().run(request(134, 135, numbers(0, 1, 1)));
    Manifest head = TrainingStream.open(stream.store).log().newest();
    assertThat(head.nextStep()).isEqualTo(before.nextStep());
    assertThat(head.nextRow()).isEqualTo(before.nextRow());
    assertThat(head.producers()).isEqualTo(before.producers());
    assertThat(head.operation()).isEqualTo("takedown");
    assertThat(stream.read(0, 1, 134))
        .containsExactly(List.of(record(134, 0, 1, 0), record(134, 0, 1, 2)));

    written.commit(1, 1);
    assertThat(stream.bundleOf(135).producerId()).isEqualTo("writer");
    stream.verifyIntact();
  }

  @Test
  void aReaderThatFollowsByDeltasSeesWhatANewcomerSees() {
    WrittenStream written = stream.write();
    Manifest known = written.head();
    stream.takedown().run(request(3, 4, numbers(0, 0, 0)));
    stream.takedown().run(request(133, 134, numbers(0, 0, 0)));
    TrainingStream opened = TrainingStream.open(stream.store);
    assertThat(opened.log().newest(known)).isEqualTo(opened.log().newest());
  }

  @Test
  void contentIsFoundWhereverItIs() {
    stream.write();
    String digest = sha256("twin");
    Takedown.Result rehearsal =
        stream.takedown().rehearse(request(0, 135, new Removal.Contents(Set.of(digest))));
    long puts = stream.store.log().count(Op.PUT);
    assertThat(rehearsal.version()).isEmpty();
    assertThat(rehearsal.records()).isEqualTo(14 * 4);

    Takedown.Result result =
        stream.takedown().run(request(0, 135, new Removal.Contents(Set.of(digest))));
    assertThat(stream.store.log().count(Op.PUT)).isGreaterThan(puts);
    assertThat(result.redactions()).isEqualTo(rehearsal.redactions());
    assertThat(stream.read(1, 1, 0)).noneMatch(step -> step.contains("twin")).hasSize(135);
    stream.verifyIntact();

    assertThat(
            stream.takedown().run(request(0, 135, new Removal.Contents(Set.of(digest)))).version())
        .as("there is nothing left to take out")
        .isEmpty();
  }

  @Test
  void whatCannotBeTakenOutIsRefusedAndNothingChanges() {
    WrittenStream written = stream.write();
    written.trim(5);
    long version = written.head().version();
    assertThatThrownBy(() -> stream.takedown().run(request(2, 3, numbers(0, 0, 0))))
        .isInstanceOf(TrimmedException.class);
    assertThatThrownBy(() -> stream.takedown().run(request(135, 136, numbers(0, 0, 0))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("ends before step 135");
    assertThatThrownBy(() -> stream.takedown().run(request(9, 10, numbers(0, 0, 3))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("there is no record 3");
    assertThatThrownBy(() -> stream.takedown().run(request(9, 10, numbers(2, 0, 0))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("mesh of 2x2");
    assertThatThrownBy(() -> stream.takedown().run(request(9, 10, new Removal.Samples(Set.of(1L)))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("no sample ids");
    assertThat(written.head().version()).isEqualTo(version);
  }

  @Test
  void rawSlicesHaveNoRecordsToTakeOut() {
    WrittenStream.uneven(stream.store, new Mesh(1, 1)).commit(1);
    assertThatThrownBy(() -> stream.takedown().run(request(0, 1, numbers(0, 0, 0))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("format \"raw\"");
  }

  @Test
  void aDocumentLeavesAllItsSequencesAndTheyKeepTheirLength() {
    TokenFormat format = new TokenFormat(8, 2, TokenWidth.U16, 0);
    new WrittenStream(
            stream.store,
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
    Takedown.Result result = stream.takedown().run(request(0, 3, new Removal.Samples(Set.of(7L))));
    assertThat(result.redactions()).containsEntry(0L, 6L).containsEntry(2L, 6L);

    List<TokenSlice> chunks = new ArrayList<>();
    for (int c = 0; c < 2; c++) {
      try (RankReader reader = RankReader.open(stream.store, new RankPosition(MESH, 1, c))) {
        chunks.add(TokenSlice.decode(reader.next().slice().bytes()));
      }
    }
    assertThat(chunks.get(0).count()).isEqualTo(3);
    assertThat(chunks.get(0).tokens(0)).containsExactly(1, 2, 3, 0);
    assertThat(chunks.get(1).tokens(0)).containsExactly(0, 0, 0, 0);
    assertThat(chunks.get(0).tokens(1)).containsExactly(12, 0, 0, 0);
    assertThat(chunks.get(0).boundaries(1)).containsExactly(new TokenSlice.Boundary(0, 0, 200));
    assertThat(chunks.get(0).paddingFrom(2)).isZero();
    stream.verifyIntact();
  }

  private static TokenSegment segment(long id, int position, int... tokens) {
    return new TokenSegment(id, position, IntBuffer.wrap(tokens));
  }

  @Test
  void aDescriptorFollowsOnlyOneThatItContinues() {
    stream.write();
    BundleDescriptor before = stream.bundleOf(7);
    stream.takedown().run(request(7, 8, numbers(0, 0, 0)));
    BundleDescriptor after = stream.bundleOf(7);
    assertThat(after.mayFollow(before)).isTrue();
    assertThat(before.mayFollow(after)).isFalse();
    assertThat(stream.bundleOf(9).mayFollow(before)).isFalse();
  }
}
