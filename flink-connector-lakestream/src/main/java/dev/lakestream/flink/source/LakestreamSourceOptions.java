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

import static org.apache.flink.configuration.ConfigOptions.key;

import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;

/** The options of the source, with their defaults: the builder and SQL share them. */
public final class LakestreamSourceOptions {

  public static final ConfigOption<StartupMode.Kind> STARTUP_MODE =
      key("scan.startup.mode")
          .enumType(StartupMode.Kind.class)
          .defaultValue(StartupMode.Kind.EARLIEST)
          .withDescription(
              "Where a job starts that restores no state; restored state always wins.");

  public static final ConfigOption<Long> STARTUP_STEP =
      key("scan.startup.step")
          .longType()
          .noDefaultValue()
          .withDescription(
              "The first step to be read. An unbounded source waits for a step that does not exist"
                  + " yet; one that is bounded by 'latest' fails.");

  public static final ConfigOption<String> STARTUP_CURSOR =
      key("scan.startup.cursor")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A cursor of a training job, as text. Refused if it is a cursor of another stream.");

  public static final ConfigOption<Long> STARTUP_TIMESTAMP_MILLIS =
      key("scan.startup.timestamp-millis")
          .longType()
          .noDefaultValue()
          .withDescription(
              "A time of publication, in milliseconds since the epoch. Past the newest step it"
                  + " means 'latest'.");

  public static final ConfigOption<BoundedMode.Kind> BOUNDED_MODE =
      key("scan.bounded.mode")
          .enumType(BoundedMode.Kind.class)
          .defaultValue(BoundedMode.Kind.NONE)
          .withDescription(
              "Where the source ends. The end is settled when the job starts, and restored with its"
                  + " state unless this option or its value was changed.");

  public static final ConfigOption<Long> BOUNDED_STEP =
      key("scan.bounded.step")
          .longType()
          .noDefaultValue()
          .withDescription("The first step that is not read.");

  public static final ConfigOption<Long> BOUNDED_TIMESTAMP_MILLIS =
      key("scan.bounded.timestamp-millis")
          .longType()
          .noDefaultValue()
          .withDescription("A time of publication, in milliseconds since the epoch.");

  public static final ConfigOption<ReadOrder> ORDER =
      key("scan.order")
          .enumType(ReadOrder.class)
          .defaultValue(ReadOrder.NONE)
          .withDescription("In which order records come out.");

  public static final ConfigOption<List<Integer>> DP_RANKS =
      key("scan.dp-ranks")
          .intType()
          .asList()
          .noDefaultValue()
          .withDescription("Only slices (d, c) with these d are read; unset: all.");

  public static final ConfigOption<List<Integer>> CP_RANKS =
      key("scan.cp-ranks")
          .intType()
          .asList()
          .noDefaultValue()
          .withDescription("Only slices (d, c) with these c are read; unset: all.");

  public static final ConfigOption<String> CONSUMER_GROUP =
      key("scan.consumer-group")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Under this name the source records in the stream, after each completed checkpoint,"
                  + " the oldest step that it may still need; reclamation leaves it and everything"
                  + " after it. One job at a time may use a name; that of a training group is refused,"
                  + " except to start there.");

  public static final ConfigOption<OnReclaimed> ON_RECLAIMED =
      key("scan.on-reclaimed")
          .enumType(OnReclaimed.class)
          .defaultValue(OnReclaimed.FAIL)
          .withDescription("What happens when the position to be read has been reclaimed.");

  public static final ConfigOption<Duration> DISCOVERY_INTERVAL =
      key("scan.discovery-interval")
          .durationType()
          .defaultValue(Duration.ofSeconds(1))
          .withDescription("Between two looks for newly published steps.");

  public static final ConfigOption<Integer> DISCOVERY_RETRIES =
      key("scan.discovery-retries")
          .intType()
          .defaultValue(5)
          .withDescription(
              "So many looks in a row may fail on faults that can pass, each after the retries of"
                  + " the store itself. One more fails the job, as does any fault that stays.");

  public static final ConfigOption<Integer> PENDING_BUNDLES =
      key("scan.pending-bundles")
          .intType()
          .defaultValue(64)
          .withDescription(
              "So many bundles that no reader has taken yet are known at most: bounds memory and"
                  + " checkpoints of the enumerator, however long the backlog.");

  public static final ConfigOption<MemorySize> SPLIT_SIZE =
      key("scan.split-size")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(64))
          .withDescription(
              "With 'scan.order' = 'none' or 'slice': a bundle is cut between ranks into splits of"
                  + " about this size; with 'none' several readers share it.");

  public static final ConfigOption<MemorySize> FETCH_MEMORY =
      key("scan.fetch.memory")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(128))
          .withDescription(
              "What one reader holds or has under way at most; a single slice may exceed it alone.");

  public static final ConfigOption<MemorySize> FETCH_SIZE =
      key("scan.fetch.size")
          .memoryType()
          .defaultValue(MemorySize.ofMebiBytes(16))
          .withDescription(
              "Neighbouring slices are read by one request up to this size, and by several at once"
                  + " beyond it.");

  private LakestreamSourceOptions() {}

  /** All of them, in the order of the documentation. */
  public static List<ConfigOption<?>> all() {
    return List.of(
        STARTUP_MODE,
        STARTUP_STEP,
        STARTUP_CURSOR,
        STARTUP_TIMESTAMP_MILLIS,
        BOUNDED_MODE,
        BOUNDED_STEP,
        BOUNDED_TIMESTAMP_MILLIS,
        ORDER,
        DP_RANKS,
        CP_RANKS,
        CONSUMER_GROUP,
        ON_RECLAIMED,
        DISCOVERY_INTERVAL,
        DISCOVERY_RETRIES,
        PENDING_BUNDLES,
        SPLIT_SIZE,
        FETCH_MEMORY,
        FETCH_SIZE);
  }
}
