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

import dev.failsafe.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Lets a {@link RetryingStore} wait in a simulation's time, on the thread of the call: with seeded
 * jitter its attempts fall on the same instants in every run.
 */
public final class InlineScheduler implements Scheduler {

  private final Time time;

  public InlineScheduler(Time time) {
    this.time = time;
  }

  @Override
  public ScheduledFuture<?> schedule(Callable<?> task, long delay, TimeUnit unit) {
    if (delay > 0) {
      time.sleep(Duration.ofNanos(unit.toNanos(delay)));
    }
    return RetryScheduler.Begun.now(task);
  }
}
