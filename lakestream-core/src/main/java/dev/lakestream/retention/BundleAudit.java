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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleCheck;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Finding.Check;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.InterruptedOperationException;
import dev.lakestream.store.StoreException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Looks at bundles, several at a time. The one who hands them over waits while enough are under
 * way. A bundle that is gone because the stream was trimmed meanwhile is no finding.
 */
final class BundleAudit implements AutoCloseable {

  private final TrainingStream stream;
  private final boolean deep;
  private final Findings findings;
  private final int most;
  private final Semaphore room;
  private final ExecutorService threads;
  private final AtomicLong done = new AtomicLong();
  private volatile long total;

  BundleAudit(TrainingStream stream, boolean deep, int threads, Findings findings) {
    this.stream = stream;
    this.deep = deep;
    this.findings = findings;
    this.most = threads;
    this.room = new Semaphore(threads);
    this.threads =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "lakestream-verify");
              thread.setDaemon(true);
              return thread;
            });
  }

  void expect(long bundles) {
    total = bundles;
  }

  void check(BundleDescriptor bundle) {
    acquire(1);
    threads.execute(
        () -> {
          try {
            look(bundle);
          } finally {
            findings.progress(Check.BUNDLES, done.incrementAndGet(), total);
            room.release();
          }
        });
  }

  /** Until all that were handed over have been looked at. */
  void await() {
    acquire(most);
    room.release(most);
  }

  private void acquire(int permits) {
    try {
      room.acquire(permits);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedOperationException("Interrupted while verifying bundles.", e);
    }
  }

  private void look(BundleDescriptor bundle) {
    try {
      if (deep) {
        BundleCheck.full(stream.store(), stream.id(), bundle.bundle());
      } else {
        Futures.await(BundleCheck.exists(stream.store(), stream.id(), bundle.bundle()));
      }
    } catch (LakestreamException e) {
      if (!isTrimmedMeanwhile(bundle, e)) {
        findings.error(Check.BUNDLES, bundle.bundle().object(), steps(bundle) + e.getMessage());
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      // Must not pass for a bundle that is well.
      findings.error(
          Check.BUNDLES, bundle.bundle().object(), steps(bundle) + "It could not be checked: " + e);
    }
  }

  private boolean isTrimmedMeanwhile(BundleDescriptor bundle, LakestreamException e) {
    try {
      return StoreException.is(e, Fault.MISSING)
          && stream.log().newest().firstStep() >= bundle.nextStep();
    } catch (LakestreamException unknown) {
      return false;
    }
  }

  private static String steps(BundleDescriptor bundle) {
    return "Steps " + bundle.firstStep() + " to " + (bundle.nextStep() - 1) + ": ";
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
