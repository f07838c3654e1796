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

import dev.lakestream.flink.StreamTarget;
import dev.lakestream.retention.Watermark;
import dev.lakestream.store.StreamAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;

/**
 * Builds a {@link LakestreamSource}. Needed are a path and a deserializer. What is not set has the
 * default of {@link LakestreamSourceOptions}.
 */
public final class LakestreamSourceBuilder<OUT> {

  private final Configuration options = new Configuration();
  private final Map<String, String> storeOptions = new LinkedHashMap<>();
  private String path;
  private SliceDeserializer<OUT> deserializer;
  private StartupMode startup;
  private BoundedMode bound;
  private ReadFilter filter = ReadFilter.ALL;
  private Long limit;

  LakestreamSourceBuilder() {}

  /** Where the stream is: {@code file:///…}, {@code s3://bucket/…}. */
  public LakestreamSourceBuilder<OUT> path(String value) {
    path = value;
    return this;
  }

  /** Of the store, by full name, for instance {@code s3.endpoint}. May hold secrets. */
  public LakestreamSourceBuilder<OUT> storeOptions(Map<String, String> values) {
    storeOptions.putAll(values);
    return this;
  }

  /** What becomes of the bytes of a slice. */
  public LakestreamSourceBuilder<OUT> deserializer(SliceDeserializer<OUT> value) {
    deserializer = value;
    return this;
  }

  /** Where to start without state to go on from. */
  public LakestreamSourceBuilder<OUT> startingAt(StartupMode value) {
    startup = value;
    return this;
  }

  /** Where to end. */
  public LakestreamSourceBuilder<OUT> boundedBy(BoundedMode value) {
    bound = value;
    return this;
  }

  /** Which slices to read. */
  public LakestreamSourceBuilder<OUT> slices(SliceSelection value) {
    value.putInto(options);
    return this;
  }

  public LakestreamSourceBuilder<OUT> order(ReadOrder value) {
    return set(LakestreamSourceOptions.ORDER, value);
  }

  /** Records the position in the stream under this name, so that reclamation respects it. */
  public LakestreamSourceBuilder<OUT> consumerGroup(String name) {
    return set(LakestreamSourceOptions.CONSUMER_GROUP, name);
  }

  public LakestreamSourceBuilder<OUT> onReclaimed(OnReclaimed value) {
    return set(LakestreamSourceOptions.ON_RECLAIMED, value);
  }

  public LakestreamSourceBuilder<OUT> discoveryInterval(Duration value) {
    return set(LakestreamSourceOptions.DISCOVERY_INTERVAL, value);
  }

  /** What need not be read because it would be thrown away. */
  public LakestreamSourceBuilder<OUT> filter(ReadFilter value) {
    filter = value;
    return this;
  }

  /**
   * So many records suffice: a bounded source may end when it has them. It may read more of them.
   */
  public LakestreamSourceBuilder<OUT> limit(long records) {
    limit = records;
    return this;
  }

  /** Any of {@link LakestreamSourceOptions}. */
  public <T> LakestreamSourceBuilder<OUT> set(ConfigOption<T> option, T value) {
    options.set(option, value);
    return this;
  }

  /**
   * @throws IllegalArgumentException if something is missing or contradicts itself; the message
   *     says what
   */
  public LakestreamSource<OUT> build() {
    require(deserializer != null, "a deserializer is missing: deserializer(…)");
    return new LakestreamSource<>(config(), deserializer);
  }

  SourceConfig config() {
    require(path != null, "a path is missing: path(\"s3://bucket/stream\")");
    StreamAddress.parse(path);
    Configuration all = new Configuration(options);
    if (startup != null) {
      requireSameGroup();
      startup.putInto(all);
    }
    if (bound != null) {
      bound.putInto(all);
    }
    StreamTarget target = new StreamTarget(path, storeOptions, 0, 0, null, "", false);
    SourceConfig config = new SourceConfig(target, all, new ReadHints(filter, limit));
    check(config);
    return config;
  }

  private void requireSameGroup() {
    if (startup.kind() == StartupMode.Kind.GROUP) {
      String group = options.getOptional(LakestreamSourceOptions.CONSUMER_GROUP).orElse(null);
      require(
          group == null || group.equals(startup.text()),
          "it starts where group \""
              + startup.text()
              + "\" stands and records its position as group \""
              + group
              + "\"; the two must be one group");
    }
  }

  private static void check(SourceConfig config) {
    StartupMode startup = config.startup();
    BoundedMode bound = config.bound();
    config.selection();
    config.group().ifPresent(Watermark::requireGroup);
    boolean steps =
        bound.kind() == BoundedMode.Kind.STEP
            && (startup.kind() == StartupMode.Kind.STEP
                || startup.kind() == StartupMode.Kind.CURSOR);
    require(
        !steps || startup.number() <= bound.number(),
        "it starts at step " + startup.number() + " and ends before step " + bound.number());
    requirePositive(config, LakestreamSourceOptions.SPLIT_SIZE);
    requirePositive(config, LakestreamSourceOptions.FETCH_MEMORY);
    requirePositive(config, LakestreamSourceOptions.FETCH_SIZE);
    require(
        config.get(LakestreamSourceOptions.DISCOVERY_INTERVAL).toMillis() >= 1,
        "scan.discovery-interval is 1 ms or more");
    require(
        config.get(LakestreamSourceOptions.PENDING_BUNDLES) >= 1,
        "scan.pending-bundles is 1 or more");
    require(
        config.get(LakestreamSourceOptions.DISCOVERY_RETRIES) >= 0,
        "scan.discovery-retries is 0 or more");
  }

  private static void requirePositive(SourceConfig config, ConfigOption<MemorySize> option) {
    require(config.get(option).getBytes() >= 1, option.key() + " is 1 byte or more");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException("Lakestream source: " + otherwise + ".");
    }
  }
}
