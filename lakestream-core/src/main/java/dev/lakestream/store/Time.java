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
package dev.lakestream.store;

import java.time.Duration;

/** Time as the protocol uses it, so that a simulation can put its own in place. */
public interface Time {

  Time SYSTEM = new SystemTime();

  /** Monotonic; for gaps, windows and deadlines (invariant I7). */
  long nanoTime();

  /** The wall clock; for stamps that people read, and nothing else (invariant I9). */
  long currentTimeMillis();

  /** Waits; {@link InterruptedOperationException} when interrupted. */
  void sleep(Duration duration);
}
