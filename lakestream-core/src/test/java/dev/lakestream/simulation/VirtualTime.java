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
package dev.lakestream.simulation;

import dev.lakestream.store.Time;
import java.time.Duration;

/** A clock that only sleeping moves. For tests with one thread. */
public final class VirtualTime implements Time {

  private long nanos = 1_000_000_000L;
  private Duration slept = Duration.ZERO;

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public long currentTimeMillis() {
    return 1_700_000_000_000L + nanos / 1_000_000;
  }

  @Override
  public void sleep(Duration duration) {
    nanos += duration.toNanos();
    slept = slept.plus(duration);
  }

  /** Time passes without anyone having asked for it: a request takes long. */
  public void pass(Duration duration) {
    nanos += duration.toNanos();
  }

  /** How long has been slept altogether. */
  public Duration slept() {
    return slept;
  }
}
