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

import static dev.lakestream.flink.source.EnumeratorHarness.range;
import static dev.lakestream.flink.source.EnumeratorHarness.steps;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;

/** Which splits the enumerator finds, and which reader gets them. */
class LakestreamEnumeratorTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  @Test
  void everyStepIsHandedOutOnce() {
    stream.append(10);
    source.start();
    source.register(0);
    source.register(1);
    source.tick();
    Map<Integer, List<BundleSplit>> splits = source.readAll(2);
    assertThat(steps(splits)).isEqualTo(range(0, 10));
    assertThat(splits.get(0)).hasSize(5);
    stream.append(3);
    source.tick();
    assertThat(steps(Map.of(0, source.taken(0), 1, source.taken(1)))).hasSize(2);
  }

  @Test
  void aReaderThatAskedBeforeAnythingWasPublishedGetsTheFirstSplit() {
    source.start();
    source.register(0);
    source.ask(0);
    source.tick();
    assertThat(source.taken(0)).isEmpty();
    assertThat(source.context().toldNothing).containsExactly(0);
    stream.append(1);
    source.tick();
    assertThat(source.taken(0)).hasSize(1);
  }

  @Test
  void theWindowIsBoundedHoweverLongTheBacklog() throws Exception {
    stream.append(200);
    source.start(builder -> builder.set(LakestreamSourceOptions.PENDING_BUNDLES, 8));
    for (int i = 0; i < 50; i++) {
      source.tick();
    }
    assertThat(source.snapshot(1).pending()).hasSize(8);
    assertThat(source.snapshot(1).position().nextStep()).isEqualTo(8);
    source.register(0);
    Map<Integer, List<BundleSplit>> all = source.readAll(1);
    assertThat(steps(all)).isEqualTo(range(0, 200));
  }

  @Test
  void ofTwoLooksFromOnePlaceTheSecondIsDropped() {
    stream.append(4);
    source.start();
    source.register(0);
    List<Runnable> slow = source.context().beginTick();
    source.tick();
    slow.forEach(Runnable::run);
    assertThat(steps(source.readAll(1))).isEqualTo(range(0, 4));
  }

  @Test
  void aLargeBundleIsSharedByReaders() {
    stream.recordsPerSlice(1000).append(1);
    long length =
        stream.stream().history(stream.head()).bundles(0, 1).get(0).bundle().objectLength();
    source.start(
        builder -> builder.set(LakestreamSourceOptions.SPLIT_SIZE, new MemorySize(length / 4)));
    source.register(0);
    source.register(1);
    source.tick();
    Map<Integer, List<BundleSplit>> all = source.readAll(2);
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
    source.start(builder -> builder.slices(SliceSelection.cpRanks(List.of(1))));
    source.register(0);
    source.tick();
    BundleSplit split = source.readAll(1).get(0).get(0);
    assertThat(split.ranks().toArray()).containsExactly(1, 3, 5, 7);
  }

  @Test
  void batchesThatHaveNoneOfTheSelectedSlicesAreLeftOut() {
    stream.append(2);
    stream.append(
        GlobalBatch.of(new Mesh(6, 1), Collections.nCopies(6, TestStream.slice(List.of()))));
    source.start(
        builder ->
            builder.slices(SliceSelection.dpRanks(List.of(5))).boundedBy(BoundedMode.latest()));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).containsExactly(2L);
    assertThat(source.context().noMoreSplits).containsExactly(0);
  }

  @Test
  void readersWithNothingToReadAreToldMoreAndMoreRarelyUntilTheyGetASplit() {
    stream.append(1);
    source.start();
    source.register(0);
    source.register(1);
    source.ask(0);
    source.ask(1);
    source.tick();
    assertThat(source.taken(0)).hasSize(1);
    assertThat(source.context().toldNothing).containsExactly(1);
    for (int look = 2; look <= 100; look++) {
      source.tick();
    }
    assertThat(source.context().toldNothing).as("at looks 1, 2, 4 … 64").hasSize(7).containsOnly(1);
    assertThat(source.context().noMoreSplits).isEmpty();

    stream.append(1);
    source.tick();
    assertThat(source.taken(1)).hasSize(1);
    source.ask(1);
    source.tick();
    assertThat(source.context().toldNothing).hasSize(8);

    source.register(1);
    source.ask(1);
    source.tick();
    assertThat(source.context().toldNothing).as("another attempt of it").hasSize(9);
  }
}
