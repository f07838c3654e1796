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
package dev.lakestream.commit.pacing;

import java.time.Duration;

/** A loss doubles the gap; a success takes a constant off it. */
final class AimdPacing implements PacingPolicy {

  private static final long LEAST_MILLIS = 10;
  private static final long DECREASE_MILLIS = 10;
  private static final long LONGEST_MILLIS = 10_000;

  private long millis = LEAST_MILLIS;

  @Override
  public Duration afterAttempt(Attempt attempt) {
    millis =
        attempt.won()
            ? Math.max(LEAST_MILLIS, millis - DECREASE_MILLIS)
            : Math.min(millis * 2, LONGEST_MILLIS);
    return Duration.ofMillis(millis);
  }
}
