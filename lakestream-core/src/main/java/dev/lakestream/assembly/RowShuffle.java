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
package dev.lakestream.assembly;

/**
 * Spreads rows over writers by a seed, so that neighbours in the input do not become neighbours in
 * a batch. Together with a {@link ShuffleBuffer} in each writer this is the whole shuffle: what is
 * not mixed here and there, the training job cannot mix later.
 */
public final class RowShuffle {

  private RowShuffle() {}

  /**
   * The writer for row number {@code index}. Pure: the same on every machine and in every attempt.
   *
   * <p>Of each {@code writers} consecutive rows (from a multiple of it) every writer gets exactly
   * one, so that writers fill their batches at the same rate; which one it gets is drawn anew each
   * time, all being equally likely.
   *
   * @param index running number of the row, 0 or more, as the one that distributes counts them
   * @param writers 1 or more
   */
  public static int writerFor(long seed, long index, int writers) {
    if (writers < 1 || index < 0) {
      throw new IllegalArgumentException("Row " + index + " for " + writers + " writers.");
    }
    int rotation = SplitMix.below(writers, SplitMix.at(seed, index / writers));
    return (int) ((index % writers + rotation) % writers);
  }
}
