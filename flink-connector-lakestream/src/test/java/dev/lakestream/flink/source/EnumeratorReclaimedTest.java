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
import java.util.List;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.Test;

/** Positions whose steps the stream no longer holds. */
class EnumeratorReclaimedTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  /** Field fault B20: a start that somebody wrote down is no more skipped than a saved one. */
  @Test
  void aStatedStartThatWasReclaimedFailsForGoodAndNamesBoth() throws Exception {
    stream.append(35);
    Cursor cursor = new Cursor(stream.stream().id(), 1, 5, EnumeratorHarness.MESH);
    stream.reclaim(20);
    for (StartupMode mode : List.of(StartupMode.step(5), StartupMode.cursor(cursor))) {
      assertThatThrownBy(() -> source.start(builder -> builder.startingAt(mode)))
          .as("%s", mode)
          .isInstanceOf(SuppressRestartsException.class)
          .cause()
          .isInstanceOf(PositionReclaimedException.class)
          .hasMessageContainingAll("5", "20");
      source.parallelism(1);
      source.start(builder -> builder.startingAt(mode).onReclaimed(OnReclaimed.EARLIEST));
      source.register(0);
      source.tick();
      assertThat(steps(source.readAll(1))).as("%s", mode).isEqualTo(range(20, 35));
    }
  }

  /** Field fault B20: the position that was saved has expired. */
  @Test
  void aRestoredPositionThatWasReclaimedFailsForGoodAndNamesBoth() throws Exception {
    stream.append(5);
    source.start();
    EnumeratorState state = source.snapshot(1);
    stream.append(30).reclaim(20);
    assertThatThrownBy(() -> source.restore(1, state, builder -> builder))
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
    source.start();
    source.tick();
    EnumeratorState state = source.snapshot(1);
    stream.append(30).reclaim(20);
    source.restore(1, state, builder -> builder.onReclaimed(OnReclaimed.EARLIEST));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(20, 35));
  }

  @Test
  void reportedSplitsThatWereReclaimedFailTheJob() throws Exception {
    stream.append(5);
    source.start();
    source.register(0);
    source.tick();
    BundleSplit read = source.readAll(1).get(0).get(0);
    EnumeratorState state = source.snapshot(1);
    stream.append(30).reclaim(20);
    StreamPosition behind = state.position();
    EnumeratorState atEnd =
        new EnumeratorState(behind.withNextStep(35), state.bound(), state.end(), List.of());
    source.restore(1, atEnd, builder -> builder.startingAt(StartupMode.latest()));
    source.context().register(0, List.of(read));
    assertThatThrownBy(() -> source.enumerator().addReader(0))
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(PositionReclaimedException.class);
  }

  @Test
  void aPositionThatIsReclaimedUnderTheRunningSourceFailsTheJob() {
    stream.append(5);
    source.start(builder -> builder.set(LakestreamSourceOptions.PENDING_BUNDLES, 1));
    source.tick();
    stream.append(30).trim(20);
    source.register(0);
    source.enumerator().handleSplitRequest(0, "here");
    assertThatThrownBy(source.context()::settle)
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(PositionReclaimedException.class);
  }
}
