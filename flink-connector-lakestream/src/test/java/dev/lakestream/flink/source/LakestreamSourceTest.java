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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.DynamicParallelismInference;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.lineage.SourceLineageVertex;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class LakestreamSourceTest {

  private static LakestreamSourceBuilder<String> builder() {
    return LakestreamSource.<String>builder()
        .path("mem://somewhere/stream")
        .deserializer(TextDeserializer.create());
  }

  private static void refuses(UnaryOperator<LakestreamSourceBuilder<String>> settings, String why) {
    assertThatThrownBy(() -> settings.apply(builder()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void whatIsMissingOrContradictsItselfIsRefused() {
    refuses(builder -> builder.path(null), "a path is missing");
    refuses(builder -> builder.deserializer(null), "a deserializer is missing");
    refuses(
        builder -> builder.set(LakestreamSourceOptions.STARTUP_MODE, StartupMode.Kind.STEP),
        "'scan.startup.mode' = 'step' needs 'scan.startup.step'");
    refuses(
        builder -> builder.set(LakestreamSourceOptions.STARTUP_STEP, 5L),
        "'scan.startup.step' is set, and 'scan.startup.mode' = 'earliest' does not use it");
    refuses(
        builder -> builder.set(LakestreamSourceOptions.BOUNDED_STEP, 5L),
        "'scan.bounded.mode' = 'none' does not use it");
    refuses(
        builder -> builder.startingAt(StartupMode.step(9)).boundedBy(BoundedMode.step(8)),
        "starts at step 9 and ends before step 8");
    refuses(builder -> builder.startingAt(StartupMode.group("a")).consumerGroup("b"), "one group");
    refuses(builder -> builder.consumerGroup("a/b"), "cannot be the name of a group");
    refuses(builder -> builder.set(LakestreamSourceOptions.DP_RANKS, List.of(-1)), "0 or more");
    refuses(builder -> builder.set(LakestreamSourceOptions.PENDING_BUNDLES, 0), "1 or more");
    refuses(
        builder -> builder.set(LakestreamSourceOptions.FETCH_SIZE, MemorySize.ZERO),
        "scan.fetch.size");
  }

  @Test
  void theBuilderAndTheOptionsSayTheSame() {
    Cursor cursor = new Cursor(new UUID(1, 2), 3, 4, new Mesh(2, 1));
    for (StartupMode mode :
        List.of(
            StartupMode.earliest(),
            StartupMode.latest(),
            StartupMode.step(7),
            StartupMode.cursor(cursor),
            StartupMode.timestamp(99),
            StartupMode.group("g"))) {
      Configuration options = new Configuration();
      mode.putInto(options);
      assertThat(StartupMode.of(Configuration.fromMap(options.toMap()))).isEqualTo(mode);
    }
    for (BoundedMode mode :
        List.of(
            BoundedMode.none(),
            BoundedMode.latest(),
            BoundedMode.step(7),
            BoundedMode.timestamp(99))) {
      Configuration options = new Configuration();
      mode.putInto(options);
      assertThat(BoundedMode.of(Configuration.fromMap(options.toMap()))).isEqualTo(mode);
    }
    SliceSelection selection = new SliceSelection(java.util.Set.of(3, 1), null);
    Configuration options = new Configuration();
    selection.putInto(options);
    assertThat(SliceSelection.of(Configuration.fromMap(options.toMap()))).isEqualTo(selection);
    SourceConfig defaults = builder().config();
    assertThat(defaults.startup()).isEqualTo(StartupMode.earliest());
    assertThat(defaults.bound()).isEqualTo(BoundedMode.none());
    assertThat(defaults.order()).isEqualTo(ReadOrder.NONE);
    assertThat(defaults.group()).isEqualTo(Optional.empty());
  }

  @Test
  void everyOptionHasANameOfItsOwnAndADescription() {
    assertThat(LakestreamSourceOptions.all().stream().map(ConfigOption::key))
        .doesNotHaveDuplicates()
        .allMatch(key -> key.startsWith("scan."));
    assertThat(LakestreamSourceOptions.all())
        .allMatch(option -> !option.description().getBlocks().isEmpty());
  }

  @Test
  void theSourceIsSerializableAndNamesNoSecret() throws Exception {
    LakestreamSource<String> source =
        builder().storeOptions(Map.of("s3.secret-key", "hush")).build();
    LakestreamSource<String> copy = InstantiationUtil.clone(source);
    assertThat(copy.toString()).contains("mem://somewhere/stream").doesNotContain("hush");
    assertThat(copy.getBoundedness()).isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
  }

  @Test
  void theLineageNamesTheStream() {
    SourceLineageVertex vertex =
        (SourceLineageVertex) builder().boundedBy(BoundedMode.latest()).build().getLineageVertex();
    assertThat(vertex.boundedness()).isEqualTo(Boundedness.BOUNDED);
    assertThat(vertex.datasets())
        .singleElement()
        .satisfies(dataset -> assertThat(dataset.namespace()).isEqualTo("mem://somewhere/stream"));
  }

  @Test
  void theParallelismOfABatchJobFollowsTheSplits() {
    TestStream stream = TestStream.inMemory(new Mesh(4, 2)).stepsPerBundle(1).append(5);
    assertThat(parallelism(stream, builder -> builder, 100)).isEqualTo(5);
    assertThat(parallelism(stream, builder -> builder, 3)).isEqualTo(3);
    assertThat(parallelism(stream, builder -> builder.boundedBy(BoundedMode.step(2)), 100))
        .isEqualTo(2);
    assertThat(
            parallelism(
                stream,
                builder -> builder.set(LakestreamSourceOptions.SPLIT_SIZE, new MemorySize(1)),
                100))
        .isEqualTo(40);
    assertThat(parallelism(stream, builder -> builder.order(ReadOrder.GLOBAL), 100)).isEqualTo(1);
    assertThat(parallelism(stream, builder -> builder.order(ReadOrder.SLICE), 100)).isEqualTo(8);
    assertThat(
            parallelism(
                stream,
                builder ->
                    builder.order(ReadOrder.SLICE).slices(SliceSelection.dpRanks(List.of(1))),
                100))
        .isEqualTo(2);
    assertThat(parallelism(TestStream.inMemory(new Mesh(1, 1)), builder -> builder, 100))
        .isEqualTo(1);
  }

  private static int parallelism(
      TestStream stream, UnaryOperator<LakestreamSourceBuilder<String>> settings, int limit) {
    return settings
        .apply(
            LakestreamSource.<String>builder()
                .path(stream.address())
                .deserializer(TextDeserializer.create())
                .boundedBy(BoundedMode.latest()))
        .build()
        .inferParallelism(new Limit(limit));
  }

  private record Limit(int limit) implements DynamicParallelismInference.Context {

    @Override
    public Optional<org.apache.flink.api.connector.source.DynamicFilteringInfo>
        getDynamicFilteringInfo() {
      return Optional.empty();
    }

    @Override
    public int getParallelismInferenceUpperBound() {
      return limit;
    }

    @Override
    public long getDataVolumePerTask() {
      return 1 << 30;
    }
  }
}
