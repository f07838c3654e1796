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

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.retention.GroupTakenException;
import dev.lakestream.retention.RankRecorder;
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupRecorderTest {

  private static final Mesh MESH = new Mesh(2, 1);

  private final TestStream stream = TestStream.inMemory(MESH).stepsPerBundle(1).append(10);
  private final Watermarks watermarks = new Watermarks(stream.stream());
  private final FakeEnumeratorContext context = new FakeEnumeratorContext(1);
  private LakestreamEnumerator enumerator;

  @AfterEach
  void close() {
    if (enumerator != null) {
      enumerator.close();
    }
  }

  private void start(UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    start(settings, Optional.empty());
  }

  private void start(
      UnaryOperator<LakestreamSourceBuilder<String>> settings, Optional<EnumeratorState> state) {
    SourceConfig config =
        settings
            .apply(
                LakestreamSource.<String>builder()
                    .path(stream.address())
                    .deserializer(TextDeserializer.create()))
            .config();
    enumerator = new LakestreamEnumerator(context, config, state);
    enumerator.start();
  }

  private Watermark training(int rank, int world, long step) {
    return new RankRecorder(stream.stream(), "train", rank, world, 1, 2)
        .register(new Cursor(stream.stream().id(), 0, step, MESH));
  }

  private EnumeratorState checkpoint(long id) {
    context.register(0, List.of());
    enumerator.addReader(0);
    context.tick();
    EnumeratorState state = enumerator.snapshotState(id);
    enumerator.notifyCheckpointComplete(id);
    context.settle();
    return state;
  }

  @Test
  void aSourceWithTheNameOfATrainingGroupFailsForGoodAndRecordsNothing() {
    Watermark before = training(1, 2, 4);
    assertThatThrownBy(() -> start(builder -> builder.consumerGroup("train")))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .isInstanceOf(GroupTakenException.class)
        .hasMessageContaining("\"train\"")
        .hasMessageContaining("a training job (RANK)")
        .hasMessageContaining("a Flink source (FLINK_SOURCE)")
        .hasMessageContaining("'scan.consumer-group'");
    assertThat(watermarks.all()).containsExactly(before);
  }

  @Test
  void aRestoredSourceWithTheNameOfATrainingGroupFailsToo() {
    start(builder -> builder);
    EnumeratorState state = checkpoint(1);
    Watermark before = training(0, 1, 4);
    assertThatThrownBy(() -> start(builder -> builder.consumerGroup("train"), Optional.of(state)))
        .hasCauseInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(before);
  }

  @Test
  void aSourceThatStartsWhereATrainingGroupStandsRecordsNothing() {
    Watermark before = training(0, 1, 4);
    start(builder -> builder.startingAt(StartupMode.group("train")));
    EnumeratorState state = checkpoint(1);
    assertThat(state.pending().get(0).nextStep()).isEqualTo(4);
    assertThat(watermarks.all()).containsExactly(before);

    enumerator.close();
    start(builder -> builder.startingAt(StartupMode.group("train")), Optional.of(state));
    checkpoint(2);
    assertThat(watermarks.all()).containsExactly(before);
  }

  @Test
  void aTrainingGroupThatTakesTheNameOfARunningSourceIsNotOverwritten() {
    start(builder -> builder.consumerGroup("train"));
    checkpoint(1);
    watermarks.drop("train");
    Watermark training = training(0, 1, 4);
    assertThatThrownBy(() -> checkpoint(2))
        .isInstanceOf(SuppressRestartsException.class)
        .hasCauseInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(training);
    enumerator.notifyCheckpointComplete(3);
    assertThat(context.asked()).as("a source that has failed asks for nothing").isZero();
  }

  @Test
  void aTrainingJobWithTheNameOfASourceIsRefused() {
    start(builder -> builder.consumerGroup("train"));
    Watermark before = watermarks.read("train", 0).orElseThrow();
    assertThatThrownBy(() -> training(0, 2, 4)).isInstanceOf(GroupTakenException.class);
    assertThatThrownBy(() -> training(1, 2, 4)).isInstanceOf(GroupTakenException.class);
    assertThat(watermarks.all()).containsExactly(before);
  }

  @Test
  void aGroupThatWasSetByHandIsTheSourcesToGoOnFrom() {
    watermarks.set("replay", 6);
    start(builder -> builder.startingAt(StartupMode.group("replay")));
    EnumeratorState state = checkpoint(1);
    assertThat(state.pending().get(0).nextStep()).isEqualTo(6);
    assertThat(watermarks.all())
        .singleElement()
        .satisfies(mark -> assertThat(mark.kind()).isEqualTo(Watermark.Kind.FLINK_SOURCE))
        .satisfies(mark -> assertThat(mark.step()).isEqualTo(6));
  }
}
