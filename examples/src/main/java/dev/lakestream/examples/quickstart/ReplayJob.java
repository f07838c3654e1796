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
package dev.lakestream.examples.quickstart;

import dev.lakestream.flink.source.BoundedMode;
import dev.lakestream.flink.source.LakestreamSource;
import dev.lakestream.flink.source.ReadOrder;
import dev.lakestream.flink.source.SliceDeserializer;
import dev.lakestream.flink.source.StartupMode;
import dev.lakestream.flink.source.TokenRecord;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;

/** What did the model see at steps a to b? Prints the text of each sequence that a rank read. */
public final class ReplayJob {

  private static final int SHOWN = 150;

  private ReplayJob() {}

  /**
   * What the ranks read at some steps of a stream of tokens, in order: by step, replica, chunk and
   * sequence.
   *
   * @param to exclusive
   */
  public static DataStream<TokenRecord> replay(
      StreamExecutionEnvironment environment, String address, long from, long to) {
    // README:begin
    return environment.fromSource(
        LakestreamSource.<TokenRecord>builder()
            .path(address)
            .deserializer(SliceDeserializer.tokens())
            .startingAt(StartupMode.step(from)) // what did the model see here …
            .boundedBy(BoundedMode.step(to)) // … up to here, exclusive?
            .order(ReadOrder.GLOBAL) // by step, then by rank
            .build(),
        WatermarkStrategy.noWatermarks(),
        "replay");
    // README:end
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 3) {
      System.err.println("Usage: bin/replay STREAM FIRST_STEP STEP_BEHIND_THE_LAST");
      System.exit(2);
    }
    long from = Long.parseLong(args[1]);
    long to = Math.min(Long.parseLong(args[2]), end(args[0]));
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    Tokenizer tokenizer = new Tokenizer();
    try (CloseableIterator<TokenRecord> seen =
        replay(environment, args[0], from, Math.max(from, to)).executeAndCollect("replay")) {
      seen.forEachRemaining(record -> System.out.println(line(record, tokenizer)));
    }
  }

  /** A source that ends at a step waits for steps that do not exist yet: a replay does not. */
  private static long end(String address) {
    try (ObjectStore store = Stores.open(address, Map.of())) {
      Manifest newest = TrainingStream.open(store).log().newest();
      return newest.nextStep();
    }
  }

  static String line(TokenRecord record, Tokenizer tokenizer) {
    int[] real =
        IntStream.range(0, record.tokens().length)
            .filter(i -> record.segments()[i] > 0)
            .map(i -> record.tokens()[i])
            .toArray();
    int documents = (int) Arrays.stream(record.segments()).filter(s -> s > 0).distinct().count();
    String text = tokenizer.decode(real).replaceAll("\\s+", " ").strip();
    return "step %d replica %d chunk %d sequence %d: %d tokens of %d documents: %s"
        .formatted(
            record.slice().step(),
            record.slice().dp(),
            record.slice().cp(),
            record.sequence(),
            real.length,
            documents,
            text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text);
  }
}
