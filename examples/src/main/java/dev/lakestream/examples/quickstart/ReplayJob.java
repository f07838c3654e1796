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
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** What did the model see at steps a to b? {@link Replay} prints it. */
public final class ReplayJob {

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
}
