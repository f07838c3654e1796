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

import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.StreamNotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Where a source starts and where it ends. */
class EnumeratorBoundsTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  /** Field fault B24: the end of a bounded stream reaches readers without splits. */
  @Test
  void moreReadersThanSplitsAllHearThatThereIsNoMore() {
    stream.append(2);
    source.parallelism(8);
    source.start(builder -> builder.boundedBy(BoundedMode.latest()));
    for (int subtask = 0; subtask < 8; subtask++) {
      source.register(subtask);
      source.ask(subtask);
    }
    source.tick();
    Map<Integer, List<BundleSplit>> all = source.readAll(8);
    assertThat(source.context().noMoreSplits).hasSize(8);
    assertThat(all).isNotEmpty();
  }

  /** Field fault B24: of a stream without batches. */
  @Test
  void anEmptyStreamEndsABoundedSourceAtOnce() {
    source.start(builder -> builder.boundedBy(BoundedMode.latest()));
    source.register(0);
    source.ask(0);
    source.tick();
    assertThat(source.context().noMoreSplits).containsExactly(0);
  }

  /** Field fault B24: of a stream that does not exist. */
  @Test
  void aMissingStreamFailsTheStartForGood() {
    SplitEnumerator<BundleSplit, EnumeratorState> enumerator =
        LakestreamSource.<String>builder()
            .path("mem://nothing/here")
            .deserializer(TextDeserializer.create())
            .build()
            .createEnumerator(source.context());
    assertThatThrownBy(enumerator::start)
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(StreamNotFoundException.class);
  }

  @Test
  void startsAndEndsInTheMiddleOfBundles() {
    TestStream wide = stream.stepsPerBundle(8).append(24);
    source.start(
        builder -> builder.startingAt(StartupMode.step(3)).boundedBy(BoundedMode.step(18)));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(3, 18));
    assertThat(source.context().noMoreSplits).containsExactly(0);
    assertThat(wide.head().nextStep()).isEqualTo(24);
  }

  @Test
  void theEndIsSettledAtTheFirstStart() throws Exception {
    stream.append(3);
    source.start(builder -> builder.boundedBy(BoundedMode.latest()));
    EnumeratorState state = source.snapshot(1);
    assertThat(state.end()).isEqualTo(OptionalLong.of(3));
    stream.append(3);
    source.restore(1, state, builder -> builder.boundedBy(BoundedMode.latest()));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(0, 3));
    assertThat(source.context().noMoreSplits).containsExactly(0);
  }

  @Test
  void anEndThatWasChangedIsSettledAnew() throws Exception {
    stream.append(6);
    source.start();
    source.tick();
    EnumeratorState state = source.snapshot(1);
    source.restore(1, state, builder -> builder.boundedBy(BoundedMode.step(4)));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(0, 4));
    assertThat(source.context().noMoreSplits).containsExactly(0);
  }

  /** Field fault B20: a start above the newest step is waited for. */
  @Test
  void anUnboundedSourceWaitsForAStepThatDoesNotExistYet() {
    stream.append(3);
    source.start(builder -> builder.startingAt(StartupMode.step(5)));
    source.register(0);
    source.tick();
    stream.append(1);
    source.tick();
    assertThat(source.readAll(1).get(0)).isEmpty();
    stream.append(2);
    source.tick();
    assertThat(steps(Map.of(0, source.taken(0)))).containsExactly(5L);
  }

  @Test
  void aSourceThatEndsAtTheNewestStepDoesNotStartBehindIt() {
    stream.append(3);
    assertThatThrownBy(
            () ->
                source.start(
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
    source.start(
        builder ->
            builder.startingAt(StartupMode.timestamp(between)).boundedBy(BoundedMode.latest()));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(3, 7));

    source.parallelism(1);
    source.start(builder -> builder.boundedBy(BoundedMode.timestamp(between)));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(0, 3));
    assertThat(source.context().noMoreSplits).containsExactly(0);
  }

  @Test
  void anEndInTheFutureIsWaitedFor() {
    stream.append(2);
    source.start(
        builder ->
            builder.boundedBy(BoundedMode.timestamp(System.currentTimeMillis() + 3_600_000)));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(0, 2));
    assertThat(source.context().noMoreSplits).isEmpty();
  }

  @Test
  void aCursorOfAnotherStreamIsRefused() {
    stream.append(3);
    Cursor own = new Cursor(stream.stream().id(), 1, 2, EnumeratorHarness.MESH);
    source.start(builder -> builder.startingAt(StartupMode.cursor(own)));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).containsExactly(2L);

    Cursor foreign = new Cursor(UUID.randomUUID(), 1, 2, EnumeratorHarness.MESH);
    assertThatThrownBy(
            () -> source.start(builder -> builder.startingAt(StartupMode.cursor(foreign))))
        .hasCauseInstanceOf(StreamMismatchException.class);
  }
}
