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
package dev.lakestream.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Takedown;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BundleSplitReaderTest {

  private static final Mesh MESH = new Mesh(4, 2);

  private final TestStream stream = TestStream.inMemory(MESH);
  private FaultyStore store;
  private BundleSplitReader<String> reader;

  private void open(UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    store = MemoryStores.makeFaulty(stream.storeName());
    LakestreamSourceBuilder<String> builder =
        LakestreamSource.<String>builder()
            .path(stream.address())
            .deserializer(TextDeserializer.create());
    SourceConfig config = settings.apply(builder).config();
    reader =
        new BundleSplitReader<>(
            TrainingStream.open(Stores.open(stream.address(), Map.of())),
            config,
            TextDeserializer.create(),
            new ReaderMetrics(UnregisteredMetricsGroup.createSourceReaderMetricGroup()));
    store.log().clear();
  }

  private void open() {
    open(builder -> builder);
  }

  private List<BundleDescriptor> bundles() {
    return stream.stream().history(stream.head()).bundles(stream.head().firstStep(), 1000);
  }

  /** For bundles. */
  private long requests() {
    return store.log().count(Op.READ, "stream/data/");
  }

  /** Of bundles. */
  private long bytes() {
    return store.log().bytesDown("stream/data/");
  }

  private static BundleSplit split(BundleDescriptor bundle, SliceSelection selection) {
    Mesh mesh = bundle.bundle().mesh();
    return BundleSplit.of(bundle, selection.ranksOf(mesh), 0, bundle.bundle().tgbCount());
  }

  private static BundleSplit split(BundleDescriptor bundle) {
    return split(bundle, SliceSelection.all());
  }

  private void add(BundleSplit... splits) {
    reader.handleSplitsChanges(new SplitsAddition<>(List.of(splits)));
  }

  /** Reads until so many splits have ended. */
  private List<String> read(int splits) {
    List<String> texts = new ArrayList<>();
    int finished = 0;
    while (finished < splits) {
      RecordsWithSplitIds<Emitted<String>> batch = reader.fetch();
      while (batch.nextSplit() != null) {
        Emitted<String> record = batch.nextRecordFromSplit();
        while (record != null) {
          texts.add(record.record);
          record = batch.nextRecordFromSplit();
        }
      }
      finished += batch.finishedSplits().size();
      batch.recycle();
    }
    return texts;
  }

  @Test
  void aWholeBundleIsOneRequest() {
    stream.append(4);
    open();
    add(split(bundles().get(0)));
    assertThat(read(1)).isEqualTo(stream.records(0, 4));
    assertThat(requests()).isEqualTo(1);
    assertThat(bytes()).isEqualTo(bundles().get(0).bundle().objectLength() - 8);
  }

  @Test
  void oneRankOfManyIsReadByItsBytesAndTheFooterAlone() {
    stream.recordsPerSlice(200).append(4);
    open();
    BundleDescriptor bundle = bundles().get(0);
    add(split(bundle, new SliceSelection(java.util.Set.of(2), java.util.Set.of(1))));
    assertThat(read(1)).allMatch(text -> text.matches("[0-9]+/2/1/[0-9]+")).hasSize(800);
    assertThat(requests()).isEqualTo(2);
    long footer = bundle.bundle().objectLength() - bundle.bundle().footerOffset();
    long sections = bundle.bundle().footerOffset() - 8;
    assertThat(bytes()).isBetween(sections / 8 - 100 + footer, sections / 8 + 100 + footer);
  }

  @Test
  void neighboursAreOneRequestAndOthersOneEach() {
    stream.append(4);
    open();
    BundleDescriptor bundle = bundles().get(0);
    add(split(bundle, SliceSelection.dpRanks(List.of(1, 2))));
    read(1);
    assertThat(requests()).isEqualTo(2);
    store.log().clear();
    add(split(bundle, SliceSelection.cpRanks(List.of(0))));
    read(1);
    assertThat(requests()).as("the footer is known by now").isEqualTo(4);
  }

  @Test
  void oneStepOfManyReadsNoOthers() {
    stream.recordsPerSlice(5_000).stepsPerBundle(16).append(16);
    open();
    BundleDescriptor bundle = bundles().get(0);
    add(BundleSplit.of(bundle, RankSet.of(8, rank -> rank == 0), 7, 8));
    assertThat(read(1)).hasSize(5_000).allMatch(text -> text.startsWith("7/0/0/"));
    assertThat(bytes()).isLessThan(bundle.bundle().objectLength() / 100);
    assertThat(requests()).isEqualTo(3);
  }

  @Test
  void aRunThatIsLongIsReadByRequestsOfBoundedSize() {
    stream.recordsPerSlice(500).append(4);
    BundleDescriptor bundle = bundles().get(0);
    long length = bundle.bundle().objectLength();
    open(
        builder ->
            builder.set(LakestreamSourceOptions.FETCH_SIZE, new MemorySize(length / 4 + 200)));
    add(split(bundle));
    assertThat(read(1)).isEqualTo(stream.records(0, 4));
    assertThat(requests()).isEqualTo(5);
  }

  @Test
  void memoryForOneSliceIsEnough() {
    stream.recordsPerSlice(50).append(8);
    open(builder -> builder.set(LakestreamSourceOptions.FETCH_MEMORY, new MemorySize(100)));
    add(split(bundles().get(0)), split(bundles().get(1)));
    assertThat(read(2)).isEqualTo(stream.records(0, 8));
  }

  @Test
  void noMoreIsUnderWayThanMemoryAllows() {
    stream.recordsPerSlice(100).stepsPerBundle(1).append(20);
    long length = bundles().get(0).bundle().objectLength();
    open(builder -> builder.set(LakestreamSourceOptions.FETCH_MEMORY, new MemorySize(length * 3)));
    AtomicInteger underWay = new AtomicInteger();
    store
        .on(Op.READ)
        .answer(
            request -> {
              underWay.incrementAndGet();
              return new CompletableFuture<>();
            });
    add(bundles().stream().map(BundleSplitReaderTest::split).toArray(BundleSplit[]::new));
    CompletableFuture<RecordsWithSplitIds<Emitted<String>>> waiting =
        CompletableFuture.supplyAsync(reader::fetch);
    await().until(() -> underWay.get() == 3);
    reader.wakeUp();
    assertThat(waiting.join().nextSplit()).isNull();
    assertThat(underWay.get()).isEqualTo(3);
  }

  @Test
  void compressedSlicesAndEmptyOnesAreRead() {
    stream.compression(Compression.ZSTD).append(2);
    stream.append(
        GlobalBatch.of(
            new Mesh(3, 1),
            List.of(
                TestStream.slice(List.of()),
                TestStream.slice(List.of("a", "b")),
                TestStream.slice(List.of()))));
    open();
    add(bundles().stream().map(BundleSplitReaderTest::split).toArray(BundleSplit[]::new));
    List<String> expected = new ArrayList<>(stream.records(0, 2));
    expected.addAll(List.of("a", "b"));
    assertThat(read(2)).isEqualTo(expected);
  }

  @Test
  void aSplitIsResumedAtEveryRecord() {
    stream.append(3);
    open();
    BundleSplit whole = split(bundles().get(0));
    List<String> all = stream.records(0, 3);
    int emitted = 0;
    for (int tgb = 0; tgb < 3; tgb++) {
      for (int rank = 0; rank < 8; rank++) {
        for (int record = 0; record < 3; record++) {
          add(whole.at(new SlicePosition(tgb, rank, record)));
          assertThat(read(1)).isEqualTo(all.subList(emitted, all.size()));
          emitted++;
        }
      }
    }
    add(whole.at(new SlicePosition(2, 7, 3)));
    assertThat(read(1)).isEmpty();
  }

  @Test
  void damageOnTheWayIsReadOnceMore() {
    stream.append(4);
    open();
    store.on(Op.READ).times(1).answer(Answer.corrupted());
    add(split(bundles().get(0)));
    assertThat(read(1)).isEqualTo(stream.records(0, 4));
    assertThat(requests()).isEqualTo(2);
  }

  @Test
  void damageInTheMiddleOfABatchLosesNothingBeforeIt() {
    stream.append(4);
    open();
    store
        .on(Op.READ)
        .times(1)
        .answer(request -> request.proceed().thenApply(BundleSplitReaderTest::damaged));
    add(split(bundles().get(0)));
    assertThat(read(1)).isEqualTo(stream.records(0, 4));
    assertThat(requests()).isEqualTo(2);
  }

  private static Object damaged(Object bytes) {
    ByteBuffer changed = (ByteBuffer) bytes;
    int at = changed.limit() * 3 / 4;
    changed.put(at, (byte) (changed.get(at) ^ 1));
    return changed;
  }

  @Test
  void aSplitThatCannotBeReadDoesNotDisturbThoseBeforeIt() {
    stream.append(4);
    BundleSplit gone = split(bundles().get(0), SliceSelection.dpRanks(List.of(1)));
    stream.append(8).reclaim(4);
    open(builder -> builder.onReclaimed(OnReclaimed.EARLIEST));
    SliceSelection some = SliceSelection.dpRanks(List.of(2));
    add(split(bundles().get(0), some), gone, split(bundles().get(1), some));
    assertThat(read(3))
        .isEqualTo(
            stream.records(4, 12).stream().filter(text -> text.split("/")[1].equals("2")).toList());
  }

  @Test
  void damageThatStaysFailsTheJob() {
    stream.append(4);
    open();
    store.on(Op.READ).answer(Answer.corrupted());
    add(split(bundles().get(0)));
    assertThatThrownBy(() -> read(1))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("data/");
  }

  @Test
  void aBundleThatWasReclaimedFailsTheJobForGood() {
    stream.append(4);
    BundleSplit old = split(bundles().get(0));
    stream.append(4).reclaim(4);
    open();
    add(old);
    assertThatThrownBy(() -> read(1))
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(PositionReclaimedException.class);
  }

  @Test
  void aBundleThatWasReclaimedIsLeftOutIfThatIsWanted() {
    stream.append(4);
    BundleSplit old = split(bundles().get(0));
    stream.append(4).reclaim(4);
    open(builder -> builder.onReclaimed(OnReclaimed.EARLIEST));
    add(old, split(bundles().get(0)));
    assertThat(read(2)).isEqualTo(stream.records(4, 8));
  }

  @Test
  void aPausedSplitIsNotReadUntilItIsResumed() throws Exception {
    stream.append(4);
    open();
    BundleSplit split = split(bundles().get(0));
    add(split);
    reader.pauseOrResumeSplits(List.of(split), List.of());
    CompletableFuture<RecordsWithSplitIds<Emitted<String>>> waiting =
        CompletableFuture.supplyAsync(reader::fetch);
    assertThatThrownBy(() -> waiting.get(50, TimeUnit.MILLISECONDS))
        .isInstanceOf(java.util.concurrent.TimeoutException.class);
    reader.wakeUp();
    assertThat(waiting.get().nextSplit()).isNull();
    reader.pauseOrResumeSplits(List.of(), List.of(split));
    assertThat(read(1)).hasSize(96);
  }

  @Test
  void aWakeUpBeforeTheFetchIsNotLost() {
    open();
    reader.wakeUp();
    assertThat(reader.fetch().nextSplit()).isNull();
  }

  @Test
  void aBundleThatWasRewrittenWithoutARecordIsReadInItsNewObject() {
    stream.append(4);
    BundleDescriptor before = bundles().get(0);
    new Takedown(stream.stream(), List.of())
        .run(
            new Takedown.Request(
                2, 3, new Removal.Records(1, 0, new TreeSet<>(Set.of(1))), "by request"));
    open();
    Futures.await(stream.stream().store().delete(before.bundle().object()));

    add(split(before));
    List<String> expected = new ArrayList<>(stream.records(0, 4));
    expected.remove("2/1/0/1");
    assertThat(read(1)).isEqualTo(expected);
  }
}
