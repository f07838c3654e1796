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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.Answer;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LakestreamEnumeratorTest {

  private static final Mesh MESH = new Mesh(4, 2);

  private final TestStream stream = TestStream.inMemory(MESH).stepsPerBundle(1);
  private FakeEnumeratorContext context = new FakeEnumeratorContext(2);
  private LakestreamEnumerator enumerator;

  private LakestreamSource<String> source(UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    return settings
        .apply(
            LakestreamSource.<String>builder()
                .path(stream.address())
                .deserializer(TextDeserializer.create()))
        .build();
  }

  private void start(UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    enumerator = (LakestreamEnumerator) source(settings).createEnumerator(context);
    enumerator.start();
  }

  private void start() {
    start(builder -> builder);
  }

  /** The enumerator's state as bytes and back. */
  private EnumeratorState snapshot(long checkpoint) throws Exception {
    EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
    EnumeratorState state = enumerator.snapshotState(checkpoint);
    return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
  }

  private void restore(
      int parallelism,
      EnumeratorState state,
      UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    context = new FakeEnumeratorContext(parallelism);
    enumerator = (LakestreamEnumerator) source(settings).restoreEnumerator(context, state);
    enumerator.start();
  }

  private void register(int subtask, BundleSplit... reported) {
    context.register(subtask, List.of(reported));
    enumerator.addReader(subtask);
  }

  private void ask(int subtask) {
    enumerator.handleSplitRequest(subtask, "here");
    context.settle();
  }

  private void finish(int subtask, BundleSplit split) {
    enumerator.handleSourceEvent(subtask, new SplitsFinishedEvent(List.of(split.splitId())));
  }

  /** Asks for all readers in turn until nobody gets anything. */
  private Map<Integer, List<BundleSplit>> readAll(int readers) {
    Map<Integer, List<BundleSplit>> all = new HashMap<>();
    boolean more = true;
    while (more) {
      more = false;
      for (int subtask = 0; subtask < readers; subtask++) {
        ask(subtask);
        List<BundleSplit> taken = context.taken(subtask);
        taken.forEach(split -> assertThat(split.ranks().isEmpty()).isFalse());
        all.computeIfAbsent(subtask, unused -> new ArrayList<>()).addAll(taken);
        more |= !taken.isEmpty();
      }
    }
    return all;
  }

  private static List<Long> steps(Map<Integer, List<BundleSplit>> splits) {
    return splits.values().stream()
        .flatMap(List::stream)
        .flatMap(
            split ->
                LongStream.range(split.nextStep(), split.bundle().firstStep() + split.toTgb())
                    .boxed())
        .sorted()
        .toList();
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  @Test
  void everyStepIsHandedOutOnce() {
    stream.append(10);
    start();
    register(0);
    register(1);
    context.tick();
    Map<Integer, List<BundleSplit>> splits = readAll(2);
    assertThat(steps(splits)).isEqualTo(range(0, 10));
    assertThat(splits.get(0)).hasSize(5);
    stream.append(3);
    context.tick();
    assertThat(steps(Map.of(0, context.taken(0), 1, context.taken(1)))).hasSize(2);
  }

  @Test
  void aReaderThatAskedBeforeAnythingWasPublishedGetsTheFirstSplit() {
    start();
    register(0);
    ask(0);
    context.tick();
    assertThat(context.taken(0)).isEmpty();
    assertThat(context.toldNothing).containsExactly(0);
    stream.append(1);
    context.tick();
    assertThat(context.taken(0)).hasSize(1);
  }

  @Test
  void theWindowIsBoundedHoweverLongTheBacklog() throws Exception {
    stream.append(200);
    start(builder -> builder.set(LakestreamSourceOptions.PENDING_BUNDLES, 8));
    for (int i = 0; i < 50; i++) {
      context.tick();
    }
    assertThat(snapshot(1).pending()).hasSize(8);
    assertThat(snapshot(1).position().nextStep()).isEqualTo(8);
    register(0);
    Map<Integer, List<BundleSplit>> all = readAll(1);
    assertThat(steps(all)).isEqualTo(range(0, 200));
  }

  @Test
  void ofTwoLooksFromOnePlaceTheSecondIsDropped() {
    stream.append(4);
    start();
    register(0);
    List<Runnable> slow = context.beginTick();
    context.tick();
    slow.forEach(Runnable::run);
    assertThat(steps(readAll(1))).isEqualTo(range(0, 4));
  }

  /** Field fault B23: the start outlives a savepoint before the first record. */
  @Test
  void aStartAtTheNewestStepIsInTheFirstCheckpointAlready() throws Exception {
    stream.append(100);
    start(builder -> builder.startingAt(StartupMode.latest()));
    EnumeratorState state = snapshot(1);
    stream.append(1);
    restore(2, state, builder -> builder.startingAt(StartupMode.earliest()));
    register(0);
    register(1);
    context.tick();
    assertThat(steps(readAll(2))).containsExactly(100L);
  }

  /** Field fault B23: found, and assigned to nobody yet. */
  @Test
  void splitsWithoutAReaderAreInTheState() throws Exception {
    stream.append(50);
    start();
    context.tick();
    EnumeratorState state = snapshot(1);
    assertThat(state.pending()).hasSize(50);
    restore(1, state, builder -> builder);
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(0, 50));
  }

  /** Field fault B23: assigned and not read. */
  @Test
  void splitsOfAFailedReaderAreHandedOutAgain() {
    stream.append(6);
    start();
    register(0);
    register(1);
    context.tick();
    ask(0);
    ask(1);
    List<BundleSplit> lost = context.taken(0);
    List<BundleSplit> kept = context.taken(1);
    context.unregister(0);
    enumerator.addSplitsBack(lost, 0);
    Map<Integer, List<BundleSplit>> rest = new HashMap<>();
    register(0);
    rest.put(0, readAll(2).values().stream().flatMap(List::stream).toList());
    rest.put(1, kept);
    assertThat(steps(rest)).isEqualTo(range(0, 6));
    assertThat(rest.get(0)).containsAll(lost);
  }

  @Test
  void aReaderThatFailsTwiceBetweenTwoCheckpointsReportsOnlyOnce() throws Exception {
    stream.append(2);
    start(builder -> builder.order(ReadOrder.SLICE));
    register(0);
    register(1);
    context.tick();
    ask(0);
    ask(1);
    BundleSplit of0 = context.taken(0).get(0);
    BundleSplit of1 = context.taken(1).get(0);
    EnumeratorState state = snapshot(1);

    // Back with four readers: what was of two is cut in two.
    restore(4, state, builder -> builder.order(ReadOrder.SLICE));
    register(0, of0);
    register(1, of1);
    register(2);
    register(3);
    context.tick();
    Map<Integer, List<BundleSplit>> first = readAll(4);
    assertThat(first.values()).allSatisfy(splits -> assertThat(splits).hasSize(2));

    // Reader 0 fails; its checkpoint is still the old one, of which others hold the half.
    context.unregister(0);
    enumerator.addSplitsBack(first.get(0), 0);
    register(0, of0);
    assertThat(readAll(4).get(0)).containsExactlyElementsOf(first.get(0));

    // After a checkpoint its report is what it held then.
    snapshot(2);
    enumerator.notifyCheckpointComplete(2);
    context.unregister(0);
    enumerator.addSplitsBack(List.of(), 0);
    register(0, first.get(0).get(1));
    assertThat(readAll(4).get(0)).containsExactly(first.get(0).get(1));
  }

  @Test
  void inOrderNothingIsHandedOutBeforeAllReadersHaveReported() throws Exception {
    stream.append(2);
    start(builder -> builder.order(ReadOrder.SLICE));
    register(0);
    register(1);
    context.tick();
    ask(0);
    BundleSplit old = context.taken(0).get(0);
    EnumeratorState state = snapshot(1);

    restore(2, state, builder -> builder.order(ReadOrder.SLICE));
    register(0);
    context.tick();
    ask(0);
    assertThat(context.taken(0)).isEmpty();
    register(1, old);
    assertThat(context.taken(0)).containsExactly(old);
  }

  @Test
  void inSliceOrderEachPositionHasOneReaderAndComesInStepOrder() {
    stream.append(20);
    context = new FakeEnumeratorContext(3);
    start(builder -> builder.order(ReadOrder.SLICE));
    for (int subtask = 0; subtask < 3; subtask++) {
      register(subtask);
    }
    context.tick();
    Map<Integer, List<BundleSplit>> all = readAll(3);
    Map<Integer, Integer> owners = new HashMap<>();
    for (int subtask = 0; subtask < 3; subtask++) {
      assertThat(all.get(subtask)).isSortedAccordingTo(Comparator.comparing(BundleSplit::nextStep));
      assertThat(all.get(subtask)).hasSize(20);
      for (int rank : all.get(subtask).get(0).ranks().toArray()) {
        assertThat(owners.put(rank, subtask)).isNull();
      }
      assertThat(all.get(subtask))
          .allMatch(
              split ->
                  split.ranks().equals(all.get(0).get(0).ranks())
                      || split.ranks().runs().size() == 1);
    }
    assertThat(owners).hasSize(8);
  }

  @Test
  void inGlobalOrderOneReaderGetsEverythingInStepOrder() {
    stream.append(9);
    start(builder -> builder.order(ReadOrder.GLOBAL).boundedBy(BoundedMode.latest()));
    register(0);
    register(1);
    context.tick();
    Map<Integer, List<BundleSplit>> all = readAll(2);
    assertThat(all.get(1)).isEmpty();
    assertThat(all.get(0)).isSortedAccordingTo(Comparator.comparing(BundleSplit::nextStep));
    assertThat(steps(all)).isEqualTo(range(0, 9));
    assertThat(context.noMoreSplits).containsExactly(0, 1);
  }

  @Test
  void aLargeBundleIsSharedByReaders() {
    stream.recordsPerSlice(1000).append(1);
    long length =
        stream.stream().history(stream.head()).bundles(0, 1).get(0).bundle().objectLength();
    start(
        builder ->
            builder.set(
                LakestreamSourceOptions.SPLIT_SIZE,
                new org.apache.flink.configuration.MemorySize(length / 4)));
    register(0);
    register(1);
    context.tick();
    Map<Integer, List<BundleSplit>> all = readAll(2);
    assertThat(all.get(0)).hasSize(2);
    assertThat(all.get(1)).hasSize(2);
    assertThat(
            all.values().stream()
                .flatMap(List::stream)
                .mapToInt(split -> split.ranks().count())
                .sum())
        .isEqualTo(8);
  }

  @Test
  void onlySelectedSlicesAreInSplits() {
    stream.append(1);
    start(builder -> builder.slices(SliceSelection.cpRanks(List.of(1))));
    register(0);
    context.tick();
    BundleSplit split = readAll(1).get(0).get(0);
    assertThat(split.ranks().toArray()).containsExactly(1, 3, 5, 7);
  }

  @Test
  void batchesThatHaveNoneOfTheSelectedSlicesAreLeftOut() {
    stream.append(2);
    stream.append(
        GlobalBatch.of(
            new Mesh(6, 1), java.util.Collections.nCopies(6, TestStream.slice(List.of()))));
    start(
        builder ->
            builder.slices(SliceSelection.dpRanks(List.of(5))).boundedBy(BoundedMode.latest()));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).containsExactly(2L);
    assertThat(context.noMoreSplits).containsExactly(0);
  }

  // Starts and ends.

  /** Field fault B24: the end of a bounded stream reaches readers without splits. */
  @Test
  void moreReadersThanSplitsAllHearThatThereIsNoMore() {
    stream.append(2);
    context = new FakeEnumeratorContext(8);
    start(builder -> builder.boundedBy(BoundedMode.latest()));
    for (int subtask = 0; subtask < 8; subtask++) {
      register(subtask);
      ask(subtask);
    }
    context.tick();
    Map<Integer, List<BundleSplit>> all = readAll(8);
    assertThat(context.noMoreSplits).hasSize(8);
    assertThat(all).isNotEmpty();
  }

  /** Field fault B24: of a stream without batches. */
  @Test
  void anEmptyStreamEndsABoundedSourceAtOnce() {
    start(builder -> builder.boundedBy(BoundedMode.latest()));
    register(0);
    ask(0);
    context.tick();
    assertThat(context.noMoreSplits).containsExactly(0);
  }

  /** Field fault B24: of a stream that does not exist. */
  @Test
  void aMissingStreamFailsTheStartForGood() {
    enumerator =
        (LakestreamEnumerator)
            LakestreamSource.<String>builder()
                .path("mem://nothing/here")
                .deserializer(TextDeserializer.create())
                .build()
                .createEnumerator(context);
    assertThatThrownBy(enumerator::start)
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(StreamNotFoundException.class);
  }

  @Test
  void startsAndEndsInTheMiddleOfBundles() {
    TestStream wide = stream.stepsPerBundle(8).append(24);
    start(builder -> builder.startingAt(StartupMode.step(3)).boundedBy(BoundedMode.step(18)));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(3, 18));
    assertThat(context.noMoreSplits).containsExactly(0);
    assertThat(wide.head().nextStep()).isEqualTo(24);
  }

  @Test
  void theEndIsSettledAtTheFirstStart() throws Exception {
    stream.append(3);
    start(builder -> builder.boundedBy(BoundedMode.latest()));
    EnumeratorState state = snapshot(1);
    assertThat(state.end()).isEqualTo(OptionalLong.of(3));
    stream.append(3);
    restore(1, state, builder -> builder.boundedBy(BoundedMode.latest()));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(0, 3));
    assertThat(context.noMoreSplits).containsExactly(0);
  }

  @Test
  void anEndThatWasChangedIsSettledAnew() throws Exception {
    stream.append(6);
    start();
    context.tick();
    EnumeratorState state = snapshot(1);
    restore(1, state, builder -> builder.boundedBy(BoundedMode.step(4)));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(0, 4));
    assertThat(context.noMoreSplits).containsExactly(0);
  }

  /** Field fault B20: a start above the newest step is waited for. */
  @Test
  void anUnboundedSourceWaitsForAStepThatDoesNotExistYet() {
    stream.append(3);
    start(builder -> builder.startingAt(StartupMode.step(5)));
    register(0);
    context.tick();
    stream.append(1);
    context.tick();
    assertThat(readAll(1).get(0)).isEmpty();
    stream.append(2);
    context.tick();
    assertThat(steps(Map.of(0, context.taken(0)))).containsExactly(5L);
  }

  @Test
  void aSourceThatEndsAtTheNewestStepDoesNotStartBehindIt() {
    stream.append(3);
    assertThatThrownBy(
            () ->
                start(
                    builder ->
                        builder.startingAt(StartupMode.step(4)).boundedBy(BoundedMode.latest())))
        .cause()
        .isInstanceOf(StreamMismatchException.class)
        .hasMessageContaining("step 3");
  }

  @Test
  void aTimeOfPublicationFindsItsStep() {
    stream.append(3);
    long between = stream.head().createdAt() + 1;
    Awaitility.await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> System.currentTimeMillis() >= between);
    stream.append(4);
    start(
        builder ->
            builder.startingAt(StartupMode.timestamp(between)).boundedBy(BoundedMode.latest()));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(3, 7));

    context = new FakeEnumeratorContext(1);
    start(builder -> builder.boundedBy(BoundedMode.timestamp(between)));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(0, 3));
    assertThat(context.noMoreSplits).containsExactly(0);
  }

  @Test
  void anEndInTheFutureIsWaitedFor() {
    stream.append(2);
    start(
        builder ->
            builder.boundedBy(BoundedMode.timestamp(System.currentTimeMillis() + 3_600_000)));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(0, 2));
    assertThat(context.noMoreSplits).isEmpty();
  }

  @Test
  void aCursorOfAnotherStreamIsRefused() {
    stream.append(3);
    Cursor own = new Cursor(stream.stream().id(), 1, 2, MESH);
    start(builder -> builder.startingAt(StartupMode.cursor(own)));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).containsExactly(2L);

    Cursor foreign = new Cursor(UUID.randomUUID(), 1, 2, MESH);
    assertThatThrownBy(() -> start(builder -> builder.startingAt(StartupMode.cursor(foreign))))
        .hasCauseInstanceOf(StreamMismatchException.class);
  }

  // What has been reclaimed.

  /** Field fault B20: a start that somebody wrote down is no more skipped than a saved one. */
  @Test
  void aStatedStartThatWasReclaimedFailsForGoodAndNamesBoth() throws Exception {
    stream.append(35);
    Cursor cursor = new Cursor(stream.stream().id(), 1, 5, MESH);
    stream.reclaim(20);
    for (StartupMode mode : List.of(StartupMode.step(5), StartupMode.cursor(cursor))) {
      assertThatThrownBy(() -> start(builder -> builder.startingAt(mode)))
          .as("%s", mode)
          .isInstanceOf(SuppressRestartsException.class)
          .cause()
          .isInstanceOf(PositionReclaimedException.class)
          .hasMessageContainingAll("5", "20");
      context = new FakeEnumeratorContext(1);
      start(builder -> builder.startingAt(mode).onReclaimed(OnReclaimed.EARLIEST));
      register(0);
      context.tick();
      assertThat(steps(readAll(1))).as("%s", mode).isEqualTo(range(20, 35));
    }
  }

  /** Field fault B20: the position that was saved has expired. */
  @Test
  void aRestoredPositionThatWasReclaimedFailsForGoodAndNamesBoth() throws Exception {
    stream.append(5);
    start();
    EnumeratorState state = snapshot(1);
    stream.append(30).reclaim(20);
    assertThatThrownBy(() -> restore(1, state, builder -> builder))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .isInstanceOfSatisfying(
            PositionReclaimedException.class,
            e -> {
              assertThat(e.step()).isZero();
              assertThat(e.firstStepHeld()).isEqualTo(20);
            });
  }

  @Test
  void aRestoredPositionThatWasReclaimedMovesIfThatIsWanted() throws Exception {
    stream.append(5);
    start();
    context.tick();
    EnumeratorState state = snapshot(1);
    stream.append(30).reclaim(20);
    restore(1, state, builder -> builder.onReclaimed(OnReclaimed.EARLIEST));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(20, 35));
  }

  @Test
  void reportedSplitsThatWereReclaimedFailTheJob() throws Exception {
    stream.append(5);
    start();
    register(0);
    context.tick();
    BundleSplit read = readAll(1).get(0).get(0);
    EnumeratorState state = snapshot(1);
    stream.append(30).reclaim(20);
    StreamPosition behind = state.position();
    EnumeratorState atEnd =
        new EnumeratorState(behind.withNextStep(35), state.bound(), state.end(), List.of());
    restore(1, atEnd, builder -> builder.startingAt(StartupMode.latest()));
    context.register(0, List.of(read));
    assertThatThrownBy(() -> enumerator.addReader(0))
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(PositionReclaimedException.class);
  }

  @Test
  void aPositionThatIsReclaimedUnderTheRunningSourceFailsTheJob() {
    stream.append(5);
    start(builder -> builder.set(LakestreamSourceOptions.PENDING_BUNDLES, 1));
    context.tick();
    stream.append(30).trim(20);
    register(0);
    enumerator.handleSplitRequest(0, "here");
    assertThatThrownBy(context::settle)
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(PositionReclaimedException.class);
  }

  @Test
  void aStateOfAnotherStreamIsRefused() throws Exception {
    start();
    EnumeratorState state = snapshot(1);
    EnumeratorState foreign =
        new EnumeratorState(
            new StreamPosition(UUID.randomUUID(), 0, UUID.randomUUID(), 0),
            state.bound(),
            state.end(),
            List.of());
    assertThatThrownBy(() -> restore(1, foreign, builder -> builder))
        .hasCauseInstanceOf(StreamMismatchException.class);
  }

  @Test
  void aStateThatIsNewerThanTheStreamIsRefused() throws Exception {
    start();
    StreamPosition position = snapshot(1).position();
    EnumeratorState newer =
        new EnumeratorState(
            new StreamPosition(position.streamId(), 7, UUID.randomUUID(), 3),
            BoundedMode.none(),
            OptionalLong.empty(),
            List.of());
    assertThatThrownBy(() -> restore(1, newer, builder -> builder))
        .cause()
        .isInstanceOf(StreamMismatchException.class)
        .hasMessageContaining("older than the state");
  }

  // Failures of discovery.

  @Test
  void looksThatFailAreRepeatedAndThenFailTheJob() {
    stream.append(1);
    start(
        builder ->
            builder
                .set(LakestreamSourceOptions.DISCOVERY_RETRIES, 2)
                .storeOptions(Map.of("retry.max-elapsed", "1 ms")));
    var faulty = MemoryStores.makeFaulty(stream.storeName());
    faulty.on(Op.READ_SUFFIX).answer(Answer.serverError());
    context.tick();
    context.tick();
    assertThatThrownBy(context::tick)
        .isInstanceOf(LakestreamException.class)
        .hasMessageContaining("3 looks in a row");
  }

  @Test
  void anEnumeratorThatHasFailedFailsOnlyOnceAndKeepsNoState() {
    stream.append(1);
    start();
    MemoryStores.makeFaulty(stream.storeName()).on(Op.READ_SUFFIX).answer(Answer.denied());
    assertThatThrownBy(context::tick).isInstanceOf(LakestreamException.class);
    context.tick();
    register(0);
    ask(0);
    assertThat(context.taken(0)).isEmpty();
    assertThatThrownBy(() -> enumerator.snapshotState(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aLookThatSucceedsForgivesThoseBefore() {
    stream.append(1);
    start(
        builder ->
            builder
                .set(LakestreamSourceOptions.DISCOVERY_RETRIES, 1)
                .storeOptions(Map.of("retry.max-elapsed", "1 ms")));
    register(0);
    ask(0);
    var faulty = MemoryStores.makeFaulty(stream.storeName());
    for (int i = 0; i < 3; i++) {
      faulty.on(Op.READ_SUFFIX).answer(Answer.serverError());
      context.tick();
      faulty.heal();
      context.tick();
    }
    assertThat(context.taken(0)).hasSize(1);
  }

  @Test
  void aDeniedLookFailsTheJobAtOnce() {
    stream.append(1);
    start();
    MemoryStores.makeFaulty(stream.storeName()).on(Op.READ_SUFFIX).answer(Answer.denied());
    assertThatThrownBy(context::tick).isInstanceOf(LakestreamException.class);
  }

  // The consumer group.

  private OptionalLong recorded() {
    return new Watermarks(stream.stream()).step("replay");
  }

  @Test
  void aGroupHoldsFromItsStartOnAndMovesWithCompletedCheckpoints() throws Exception {
    stream.append(10).reclaim(2);
    start(builder -> builder.consumerGroup("replay"));
    assertThat(recorded()).hasValue(2);
    register(0);
    context.tick();
    Map<Integer, List<BundleSplit>> all = readAll(1);
    all.get(0).subList(0, 3).forEach(split -> finish(0, split));
    finish(0, all.get(0).get(5));
    snapshot(1);
    assertThat(recorded()).hasValue(2);
    finish(0, all.get(0).get(3));
    enumerator.notifyCheckpointComplete(1);
    context.settle();
    assertThat(recorded()).hasValue(5);
    snapshot(2);
    enumerator.notifyCheckpointComplete(2);
    context.settle();
    assertThat(recorded()).hasValue(6);
  }

  @Test
  void aGroupIsNotMovedForwardByAStartAlone() throws Exception {
    stream.append(10);
    start(builder -> builder.consumerGroup("replay"));
    start(builder -> builder.consumerGroup("replay").startingAt(StartupMode.step(7)));
    assertThat(recorded()).hasValue(0);
  }

  @Test
  void aJobStartsWhereItsGroupStands() throws Exception {
    stream.append(10);
    start(builder -> builder.startingAt(StartupMode.group("replay")));
    register(0);
    context.tick();
    readAll(1).get(0).subList(0, 4).forEach(split -> finish(0, split));
    snapshot(1);
    enumerator.notifyCheckpointComplete(1);
    context.settle();
    context = new FakeEnumeratorContext(1);
    start(builder -> builder.startingAt(StartupMode.group("replay")));
    register(0);
    context.tick();
    assertThat(steps(readAll(1))).isEqualTo(range(4, 10));
  }

  @Test
  void aGroupDoesNotMoveBeforeRestoredReadersHaveReported() throws Exception {
    stream.append(4);
    start(builder -> builder.consumerGroup("replay"));
    register(0);
    register(1);
    context.tick();
    BundleSplit inReader = readAll(2).get(1).get(0);
    EnumeratorState state = snapshot(1);
    restore(2, state, builder -> builder.consumerGroup("replay"));
    register(0);
    snapshot(2);
    enumerator.notifyCheckpointComplete(2);
    context.settle();
    assertThat(recorded()).hasValue(0);
    register(1, inReader);
    snapshot(3);
    enumerator.notifyCheckpointComplete(3);
    context.settle();
    assertThat(recorded()).hasValue(inReader.nextStep());
  }

  @Test
  void readersWithNothingToReadAreToldMoreAndMoreRarelyUntilTheyGetASplit() {
    stream.append(1);
    start();
    register(0);
    register(1);
    ask(0);
    ask(1);
    context.tick();
    assertThat(context.taken(0)).hasSize(1);
    assertThat(context.toldNothing).containsExactly(1);
    for (int look = 2; look <= 100; look++) {
      context.tick();
    }
    assertThat(context.toldNothing).as("at looks 1, 2, 4 … 64").hasSize(7).containsOnly(1);
    assertThat(context.noMoreSplits).isEmpty();

    stream.append(1);
    context.tick();
    assertThat(context.taken(1)).hasSize(1);
    ask(1);
    context.tick();
    assertThat(context.toldNothing).hasSize(8);

    register(1);
    ask(1);
    context.tick();
    assertThat(context.toldNothing).as("another attempt of it").hasSize(9);
  }
}
