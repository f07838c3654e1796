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
package dev.lakestream.batch;

import static dev.lakestream.batch.WrittenBundle.MESH;
import static dev.lakestream.batch.WrittenBundle.OBJECT;
import static dev.lakestream.batch.WrittenBundle.STREAM;
import static dev.lakestream.batch.WrittenBundle.TGBS;
import static dev.lakestream.batch.WrittenBundle.checkContent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a rank reads of a bundle, and by which requests. */
class BundleReaderTest {

  private final WrittenBundle bundle = new WrittenBundle();

  @Test
  void aRankNeedsOneRequestForAllStepsWhereSectionsAreEquallyLong() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> 100));
    RankSection section = reader.section(1, 0);
    assertThat(bundle.reads()).hasSize(1);
    checkContent(section, 1, 0);
  }

  @Test
  void aRankNeedsTheFooterAndOneRequestWhereSectionsDiffer() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> 100 * r + k));
    checkContent(reader.section(1, 1), 1, 1);
    assertThat(bundle.reads()).hasSize(2);
    checkContent(reader.section(0, 1), 0, 1);
    assertThat(bundle.reads()).as("the footer is read once").hasSize(3);
  }

  @Test
  void aPartOfTheStepsIsReadByTheTableAndOneRange() {
    StagedBundle staged = bundle.write((k, r) -> 100);
    RankSection part = Futures.await(bundle.reader(staged).read(0, 1, 1, 3));
    assertThat(bundle.reads()).containsExactly((long) BundleFormat.tableLength(TGBS), 208L);
    checkContent(part, 0, 1);
    assertThat(part.fromTgb()).isEqualTo(1);
    assertThat(part.toTgb()).isEqualTo(3);
    assertThatThrownBy(() -> part.slice(3)).isInstanceOf(IndexOutOfBoundsException.class);

    bundle.store.log().clear();
    checkContent(Futures.await(bundle.reader(staged).read(part.table(), 3, 4)), 0, 1);
    assertThat(bundle.reads()).as("the table is known").hasSize(1);
  }

  @Test
  void nothingIsReadForSlicesWithoutBytes() {
    StagedBundle staged = bundle.write((k, r) -> k == 2 ? 10 : 0);
    BundleReader reader = bundle.reader(staged);
    SectionTable table = Futures.await(reader.readTable(0, 0));
    bundle.store.log().clear();
    RankSection empty = Futures.await(reader.read(table, 0, 2));
    assertThat(empty.slice(0)).isEqualTo(Slice.of(new byte[0], 0));
    assertThat(empty.slice(1)).isEqualTo(Slice.of(new byte[0], 1));
    Futures.await(reader.read(table, 3, 4));
    Futures.await(reader.read(table, 1, 1));
    assertThat(bundle.reads()).isEmpty();
  }

  @Test
  void aBundleOfEmptySlicesIsRead() {
    StagedBundle staged = bundle.write((k, r) -> 0);
    checkContent(bundle.reader(staged).section(1, 1), 1, 1);
    BundleCheck.full(bundle.store, STREAM, staged);
  }

  @Test
  void aSectionThatIsTooLongForOneRequestIsReadInSeveral() {
    StagedBundle staged = bundle.write((k, r) -> 100);
    BundleReader reader = new BundleReader(bundle.store, STREAM, staged, 250);
    checkContent(reader.section(0, 1), 0, 1);
    assertThat(bundle.reads()).containsExactly((long) BundleFormat.tableLength(TGBS), 208L, 208L);
  }

  @Test
  void aSliceLongerThanTheLimitOfOneRequestIsReadAlone() {
    BundleReader reader =
        new BundleReader(bundle.store, STREAM, bundle.write((k, r) -> k == 1 ? 500 : 8), 250);
    checkContent(reader.section(1, 1), 1, 1);
    assertThat(bundle.reads()).hasSize(4);
  }

  @Test
  void aFooterThatCouldNotBeReadIsReadAgain() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> r));
    bundle.store.on(Op.READ).times(1).answer(Answer.serverError());
    assertThatThrownBy(() -> reader.section(0, 0))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.TRANSIENT));
    checkContent(reader.section(0, 0), 0, 0);
  }

  @Test
  void whoeverCancelsCancelsNobodyElse() {
    BundleReader reader = bundle.reader(bundle.write((k, r) -> r));
    CompletableFuture<BundleIndex> first = reader.index();
    first.cancel(true);
    assertThat(Futures.await(reader.index()).mesh()).isEqualTo(MESH);
  }

  @Test
  void existsIsOneRequest() {
    StagedBundle staged = bundle.write((k, r) -> 100 * r);
    Futures.await(BundleCheck.exists(bundle.store, STREAM, staged));
    assertThat(bundle.reads()).containsExactly(staged.footerLength() + 16L);
  }

  @Test
  void anObjectIsOpenedByItsNameInOneRequest() {
    StagedBundle staged = bundle.write((k, r) -> 10 * r);
    BundleReader reader = Futures.await(BundleReader.open(bundle.store, OBJECT));
    BundleIndex index = Futures.await(reader.index());
    assertThat(bundle.reads()).hasSize(1);
    assertThat(reader.bundle()).isEqualTo(staged);
    assertThat(index.streamId()).isEqualTo(STREAM);
    assertThat(index.sliceFormat()).isEqualTo("raw");
    assertThat(index.tgbs()).hasSize(TGBS);
    checkContent(reader.section(1, 1), 1, 1);
  }
}
