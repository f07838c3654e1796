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

/**
 * Decides how long a producer waits between two commit attempts. One instance belongs to one
 * producer and is called by one thread.
 */
public interface PacingPolicy {

  /**
   * Learns from an attempt that has ended.
   *
   * @return the gap to leave before the next attempt, 0 or more
   */
  Duration afterAttempt(Attempt attempt);

  /**
   * One attempt that reached the store and was decided. Throttled and undecided ones (503, 409) are
   * not races and are not shown to the policy.
   *
   * @param won whether it published; otherwise another producer was faster
   * @param window the fragile window: from reading the base to the end of the conditional create
   * @param activeProducers N: how many producers committed lately, this one included; 1 or more
   */
  record Attempt(boolean won, Duration window, int activeProducers) {}
}
