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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What readers and the enumerator hold when they fail, and whose state is not taken. */
class EnumeratorRecoveryTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  /** Field fault B23: the start outlives a savepoint before the first record. */
  @Test
  void aStartAtTheNewestStepIsInTheFirstCheckpointAlready() throws Exception {
    stream.append(100);
    source.start(builder -> builder.startingAt(StartupMode.latest()));
    EnumeratorState state = source.snapshot(1);
    stream.append(1);
    source.restore(2, state, builder -> builder.startingAt(StartupMode.earliest()));
    source.register(0);
    source.register(1);
    source.tick();
    assertThat(steps(source.readAll(2))).containsExactly(100L);
  }

  /** Field fault B23: found, and assigned to nobody yet. */
  @Test
  void splitsWithoutAReaderAreInTheState() throws Exception {
    stream.append(50);
    source.start();
    source.tick();
    EnumeratorState state = source.snapshot(1);
    assertThat(state.pending()).hasSize(50);
    source.restore(1, state, builder -> builder);
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(0, 50));
  }

  /** Field fault B23: assigned and not read. */
  @Test
  void splitsOfAFailedReaderAreHandedOutAgain() {
    stream.append(6);
    source.start();
    source.register(0);
    source.register(1);
    source.tick();
    source.ask(0);
    source.ask(1);
    List<BundleSplit> lost = source.taken(0);
    List<BundleSplit> kept = source.taken(1);
    source.fail(0, lost);
    Map<Integer, List<BundleSplit>> rest = new HashMap<>();
    source.register(0);
    rest.put(0, source.readAll(2).values().stream().flatMap(List::stream).toList());
    rest.put(1, kept);
    assertThat(steps(rest)).isEqualTo(range(0, 6));
    assertThat(rest.get(0)).containsAll(lost);
  }

  @Test
  void aReaderThatFailsTwiceBetweenTwoCheckpointsReportsOnlyOnce() throws Exception {
    stream.append(2);
    source.start(builder -> builder.order(ReadOrder.SLICE));
    source.register(0);
    source.register(1);
    source.tick();
    source.ask(0);
    source.ask(1);
    BundleSplit of0 = source.taken(0).get(0);
    BundleSplit of1 = source.taken(1).get(0);
    EnumeratorState state = source.snapshot(1);

    // Back with four readers: what was of two is cut in two.
    source.restore(4, state, builder -> builder.order(ReadOrder.SLICE));
    source.register(0, of0);
    source.register(1, of1);
    source.register(2);
    source.register(3);
    source.tick();
    Map<Integer, List<BundleSplit>> first = source.readAll(4);
    assertThat(first.values()).allSatisfy(splits -> assertThat(splits).hasSize(2));

    // Reader 0 fails; its checkpoint is still the old one, of which others hold the half.
    source.fail(0, first.get(0));
    source.register(0, of0);
    assertThat(source.readAll(4).get(0)).containsExactlyElementsOf(first.get(0));

    // After a checkpoint its report is what it held then.
    source.snapshot(2);
    source.enumerator().notifyCheckpointComplete(2);
    source.fail(0, List.of());
    source.register(0, first.get(0).get(1));
    assertThat(source.readAll(4).get(0)).containsExactly(first.get(0).get(1));
  }

  @Test
  void aStateOfAnotherStreamIsRefused() throws Exception {
    source.start();
    EnumeratorState state = source.snapshot(1);
    EnumeratorState foreign =
        new EnumeratorState(
            new StreamPosition(UUID.randomUUID(), 0, UUID.randomUUID(), 0),
            state.bound(),
            state.end(),
            List.of());
    assertThatThrownBy(() -> source.restore(1, foreign, builder -> builder))
        .hasCauseInstanceOf(StreamMismatchException.class);
  }

  @Test
  void aStateThatIsNewerThanTheStreamIsRefused() throws Exception {
    source.start();
    StreamPosition position = source.snapshot(1).position();
    EnumeratorState newer =
        new EnumeratorState(
            new StreamPosition(position.streamId(), 7, UUID.randomUUID(), 3),
            BoundedMode.none(),
            OptionalLong.empty(),
            List.of());
    assertThatThrownBy(() -> source.restore(1, newer, builder -> builder))
        .cause()
        .isInstanceOf(StreamMismatchException.class)
        .hasMessageContaining("older than the state");
  }
}
