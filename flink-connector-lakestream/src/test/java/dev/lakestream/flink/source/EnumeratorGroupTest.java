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

import dev.lakestream.retention.Watermarks;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What the source records under the name of its consumer group. */
class EnumeratorGroupTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  private OptionalLong recorded() {
    return new Watermarks(stream.stream()).step("replay");
  }

  @Test
  void aGroupHoldsFromItsStartOnAndMovesWithCompletedCheckpoints() throws Exception {
    stream.append(10).reclaim(2);
    source.start(builder -> builder.consumerGroup("replay"));
    assertThat(recorded()).hasValue(2);
    source.register(0);
    source.tick();
    Map<Integer, List<BundleSplit>> all = source.readAll(1);
    all.get(0).subList(0, 3).forEach(split -> source.finish(0, split));
    source.finish(0, all.get(0).get(5));
    source.snapshot(1);
    assertThat(recorded()).hasValue(2);
    source.finish(0, all.get(0).get(3));
    source.complete(1);
    assertThat(recorded()).hasValue(5);
    source.snapshot(2);
    source.complete(2);
    assertThat(recorded()).hasValue(6);
  }

  @Test
  void aGroupIsNotMovedForwardByAStartAlone() throws Exception {
    stream.append(10);
    source.start(builder -> builder.consumerGroup("replay"));
    source.start(builder -> builder.consumerGroup("replay").startingAt(StartupMode.step(7)));
    assertThat(recorded()).hasValue(0);
  }

  @Test
  void aJobStartsWhereItsGroupStands() throws Exception {
    stream.append(10);
    source.start(builder -> builder.startingAt(StartupMode.group("replay")));
    source.register(0);
    source.tick();
    source.readAll(1).get(0).subList(0, 4).forEach(split -> source.finish(0, split));
    source.snapshot(1);
    source.complete(1);
    source.parallelism(1);
    source.start(builder -> builder.startingAt(StartupMode.group("replay")));
    source.register(0);
    source.tick();
    assertThat(steps(source.readAll(1))).isEqualTo(range(4, 10));
  }

  @Test
  void aGroupDoesNotMoveBeforeRestoredReadersHaveReported() throws Exception {
    stream.append(4);
    source.start(builder -> builder.consumerGroup("replay"));
    source.register(0);
    source.register(1);
    source.tick();
    BundleSplit inReader = source.readAll(2).get(1).get(0);
    EnumeratorState state = source.snapshot(1);
    source.restore(2, state, builder -> builder.consumerGroup("replay"));
    source.register(0);
    source.snapshot(2);
    source.complete(2);
    assertThat(recorded()).hasValue(0);
    source.register(1, inReader);
    source.snapshot(3);
    source.complete(3);
    assertThat(recorded()).hasValue(inReader.nextStep());
  }
}
