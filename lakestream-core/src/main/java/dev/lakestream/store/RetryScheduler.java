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
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Begins what has no delay on the calling thread, because beginning a request does not block, and
 * the rest on one daemon thread that ends when nothing waits, so that it pins no class loader.
 */
final class RetryScheduler implements Scheduler {

  static final Scheduler SHARED = new RetryScheduler();

  private final ScheduledThreadPoolExecutor timer;

  private RetryScheduler() {
    timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("lakestream-retry"));
    timer.setKeepAliveTime(5, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    timer.setRemoveOnCancelPolicy(true);
  }

  @Override
  public ScheduledFuture<?> schedule(Callable<?> task, long delay, TimeUnit unit) {
    if (delay > 0) {
      return timer.schedule(task, delay, unit);
    }
    return Begun.now(task);
  }

  /** A task that has been run on the thread of whoever scheduled it. */
  static final class Begun<T> extends FutureTask<T> implements ScheduledFuture<T> {

    private Begun(Callable<T> task) {
      super(task);
    }

    static <T> Begun<T> now(Callable<T> task) {
      Begun<T> begun = new Begun<>(task);
      begun.run();
      return begun;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(0, other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
