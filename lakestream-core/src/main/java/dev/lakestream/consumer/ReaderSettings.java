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
package dev.lakestream.consumer;

import dev.lakestream.consumer.topology.ReadMode;
import java.time.Duration;
import java.util.Objects;

/**
 * How a reader behaves.
 *
 * @param mode what a step is where the job's mesh is not that of the batches (docs/topology.md)
 * @param prefetchBundles so many fetches (of a bundle, or a part of a long one) are under way or
 *     ready at most, 1 or more; how many there are follows the store's latency and the consumer's
 *     pace
 * @param prefetchBytes so many bytes are held or under way at most; a section that is longer is
 *     read in parts, and only a single slice that is longer goes beyond
 * @param pollInterval between two looks for a newer manifest while there is none, on average
 * @param confirmInterval a reader that has seen nothing new for so long lists the manifests,
 *     because a 404 on the next number may also mean that its own place has been reclaimed
 * @param timeout of {@link RankReader#next}
 */
public record ReaderSettings(
    ReadMode mode,
    int prefetchBundles,
    long prefetchBytes,
    Duration pollInterval,
    Duration confirmInterval,
    Duration timeout) {

  public static final ReaderSettings DEFAULT =
      new ReaderSettings(
          ReadMode.EXACT,
          64,
          256L << 20,
          Duration.ofSeconds(1),
          Duration.ofSeconds(30),
          Duration.ofMinutes(10));

  public ReaderSettings {
    Objects.requireNonNull(mode, "mode");
    if (prefetchBundles < 1 || prefetchBytes < 1) {
      throw new IllegalArgumentException(
          "A reader must fetch 1 bundle and 1 byte ahead at least, not "
              + prefetchBundles
              + " and "
              + prefetchBytes
              + ".");
    }
    requirePositive("poll interval", pollInterval);
    requirePositive("confirm interval", confirmInterval);
    requirePositive("timeout", timeout);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException("The " + name + " must be above 0: " + value + ".");
    }
  }

  public ReaderSettings withMode(ReadMode other) {
    return new ReaderSettings(
        other, prefetchBundles, prefetchBytes, pollInterval, confirmInterval, timeout);
  }

  public ReaderSettings withPrefetch(int bundles, long bytes) {
    return new ReaderSettings(mode, bundles, bytes, pollInterval, confirmInterval, timeout);
  }

  public ReaderSettings withPolling(Duration poll, Duration confirm) {
    return new ReaderSettings(mode, prefetchBundles, prefetchBytes, poll, confirm, timeout);
  }

  public ReaderSettings withTimeout(Duration other) {
    return new ReaderSettings(
        mode, prefetchBundles, prefetchBytes, pollInterval, confirmInterval, other);
  }
}
