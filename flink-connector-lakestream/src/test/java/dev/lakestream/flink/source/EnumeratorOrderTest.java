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

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which reader gets which split where records are to come in an order. */
class EnumeratorOrderTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  @Test
  void inOrderNothingIsHandedOutBeforeAllReadersHaveReported() throws Exception {
    stream.append(2);
    source.start(builder -> builder.order(ReadOrder.SLICE));
    source.register(0);
    source.register(1);
    source.tick();
    source.ask(0);
    BundleSplit old = source.taken(0).get(0);
    EnumeratorState state = source.snapshot(1);

    source.restore(2, state, builder -> builder.order(ReadOrder.SLICE));
    source.register(0);
    source.tick();
    source.ask(0);
    assertThat(source.taken(0)).isEmpty();
    source.register(1, old);
    assertThat(source.taken(0)).containsExactly(old);
  }

  @Test
  void inSliceOrderEachPositionHasOneReaderAndComesInStepOrder() {
    stream.append(20);
    source.parallelism(3);
    source.start(builder -> builder.order(ReadOrder.SLICE));
    for (int subtask = 0; subtask < 3; subtask++) {
      source.register(subtask);
    }
    source.tick();
    Map<Integer, List<BundleSplit>> all = source.readAll(3);
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
    source.start(builder -> builder.order(ReadOrder.GLOBAL).boundedBy(BoundedMode.latest()));
    source.register(0);
    source.register(1);
    source.tick();
    Map<Integer, List<BundleSplit>> all = source.readAll(2);
    assertThat(all.get(1)).isEmpty();
    assertThat(all.get(0)).isSortedAccordingTo(Comparator.comparing(BundleSplit::nextStep));
    assertThat(steps(all)).isEqualTo(range(0, 9));
    assertThat(source.context().noMoreSplits).containsExactly(0, 1);
  }
}
