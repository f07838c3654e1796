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
package dev.lakestream.flink.sink;

import dev.lakestream.assembly.RowShuffle;
import org.apache.flink.api.common.functions.Partitioner;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Spreads elements over the writers by a seed, evenly. Each sender counts its own elements, from 0
 * again after a restart.
 */
final class SeededSpread implements Partitioner<Integer> {

  private static final long serialVersionUID = 1L;

  private final long seed;
  private long index;

  private SeededSpread(long seed) {
    this.seed = seed;
  }

  static <IN> DataStream<IN> over(DataStream<IN> input, long seed) {
    return input.partitionCustom(new SeededSpread(seed), new NoKey<>());
  }

  @Override
  public int partition(Integer key, int writers) {
    return RowShuffle.writerFor(seed, index++, writers);
  }

  private static final class NoKey<IN> implements KeySelector<IN, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer getKey(IN value) {
      return 0;
    }
  }
}
