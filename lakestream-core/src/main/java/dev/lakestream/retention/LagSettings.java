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
package dev.lakestream.retention;

import java.time.Duration;

/**
 * How far producers may be ahead of consumers.
 *
 * @param maxLag so many steps, 1 or more. It must be more than the steps between two checkpoints of
 *     the consumers, times the checkpoints that they keep: the watermark is the oldest of those
 * @param poll how often the store is asked while there is no room
 * @param timeout so long without the watermark moving, and without room, then {@link
 *     LagTimeoutException}
 */
public record LagSettings(long maxLag, Duration poll, Duration timeout) {

  public LagSettings {
    if (maxLag < 1) {
      throw new IllegalArgumentException("max_lag must be 1 step or more, not " + maxLag + ".");
    }
    if (poll.isNegative() || poll.isZero() || timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "max_lag: poll and timeout must be more than 0, not " + poll + " and " + timeout + ".");
    }
  }

  /** Asks once a second, and gives up after an hour in which no watermark has moved. */
  public static LagSettings of(long maxLag) {
    return new LagSettings(maxLag, Duration.ofSeconds(1), Duration.ofHours(1));
  }
}
