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

import static java.util.Objects.requireNonNull;

import dev.failsafe.Failsafe;
import dev.failsafe.RetryPolicy;
import dev.failsafe.spi.Scheduler;
import dev.lakestream.store.ReadObserver.Observed;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats what failed with a retryable {@link Fault}, with exponential backoff and full jitter, for
 * as long as a time budget lasts (invariant I7). This is the only layer that retries: the stores
 * below it send each request once, and hand up what is left of a transfer that broke off ({@link
 * PartlyDoneException}), which is then the next attempt.
 *
 * <p>Assumptions, and what recovers when they fail:
 *
 * <ul>
 *   <li>Reads, listings, deletions and {@link #put} may be sent twice. A put whose reply was lost
 *       can be applied late, over a newer one: whoever overwrites objects must bear that.
 *   <li>{@link #createIfAbsent} may NOT be sent twice by anyone who has not looked at the outcome:
 *       it passes through once, and the commit loop resolves what became of it (invariant I5).
 *   <li>Each request ends by itself, because the store has its own timeout: the budget is checked
 *       between attempts and never cuts one off.
 * </ul>
 */
public final class RetryingStore implements ObjectStore {

  private static final Logger LOG = LoggerFactory.getLogger(RetryingStore.class);

  private final ObjectStore store;
  private final Duration maxElapsed;
  private final long initialBackoff;
  private final long maxBackoff;
  private final Time time;
  private final Scheduler scheduler;
  private final RandomGenerator jitter;
  private final StoreMetrics metrics;
  private volatile boolean closed;

  private RetryingStore(Builder builder) {
    this.store = builder.store;
    this.maxElapsed = builder.maxElapsed;
    this.initialBackoff = builder.initialBackoff.toNanos();
    this.maxBackoff = builder.maxBackoff.toNanos();
    this.time = builder.time;
    this.scheduler = builder.scheduler;
    this.jitter = builder.jitter;
    this.metrics = builder.metrics;
  }

  /** Defaults: 3 minutes, 100 ms to 10 s, the system's time. */
  public static Builder around(ObjectStore store) {
    return new Builder(store);
  }

  @Override
  public String address() {
    return store.address();
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    metrics.attempted(false);
    return observed(store.createIfAbsent(key, content));
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return retried("write", key, () -> store.put(key, content));
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return retried("read", key, () -> store.read(key, offset, length));
  }

  @Override
  public <O extends ReadObserver> CompletableFuture<Observed<O>> readObserved(
      String key, long offset, int length, Supplier<O> observer) {
    return retried("read", key, () -> store.readObserved(key, offset, length, observer));
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return retried("read the end of", key, () -> store.readSuffix(key, length));
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return retried("look up", key, () -> store.length(key));
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    return retried("list", prefix, () -> store.list(prefix, startAfter, limit));
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return retried("delete", key, () -> store.delete(key));
  }

  @Override
  public long throttles() {
    return metrics.throttles();
  }

  @Override
  public CompletableFuture<List<PendingUpload>> pendingUploads(String prefix) {
    return retried("list uploads of", prefix, () -> store.pendingUploads(prefix));
  }

  @Override
  public CompletableFuture<Void> abort(PendingUpload upload) {
    return retried("abort the upload of", upload.key(), () -> store.abort(upload));
  }

  /** Calls under way end with their attempt: nothing is repeated any more. */
  @Override
  public void close() {
    closed = true;
    store.close();
  }

  @Override
  public String toString() {
    return "RetryingStore[" + store + "]";
  }

  private <T> CompletableFuture<T> retried(
      String action, String key, Supplier<CompletableFuture<T>> request) {
    Call call = new Call(action, key);
    RetryPolicy<T> policy =
        RetryPolicy.<T>builder()
            .handleIf(call::mayRepeat)
            .withMaxRetries(-1)
            .withDelayFn(context -> call.backoff(context.getLastException()))
            .build();
    return Failsafe.with(policy)
        .with(scheduler)
        .getStageAsync(
            () -> {
              if (closed && call.last != null) {
                return CompletableFuture.failedFuture(call.last);
              }
              metrics.attempted(call.attempts.getAndIncrement() > 0);
              return observed(call.next(request));
            })
        .exceptionallyCompose(
            error ->
                call.abandoned(error)
                    .thenCompose(done -> CompletableFuture.failedFuture(call.failure(error))));
  }

  private <T> CompletableFuture<T> observed(CompletableFuture<T> request) {
    return request.whenComplete(
        (result, error) -> {
          if (error != null) {
            metrics.failed(error);
          }
        });
  }

  /** One call by the caller, and its attempts. */
  private final class Call {
    private final String action;
    private final String key;
    private final long start = time.nanoTime();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger fruitless = new AtomicInteger();
    private volatile Optional<PartlyDoneException.Rest> rest = Optional.empty();
    private volatile Throwable last; // why the attempt before failed; null: there was none

    Call(String action, String key) {
      this.action = action;
      this.key = key;
    }

    /** Sends the request, or what the attempt before has left of it. */
    @SuppressWarnings("unchecked") // the rest of a transfer has its result
    <T> CompletableFuture<T> next(Supplier<CompletableFuture<T>> request) {
      return rest.map(left -> (CompletableFuture<T>) left.send()).orElseGet(request);
    }

    CompletableFuture<Void> abandoned(Throwable error) {
      return PartlyDoneException.within(error)
          .map(failed -> failed.rest().abandon())
          .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    boolean mayRepeat(Throwable error) {
      return !closed && retryable(error) && elapsed().compareTo(maxElapsed) < 0;
    }

    /**
     * Full jitter, cut so that the last attempt falls on the end of the budget. Waits grow with the
     * attempts in a row that got nowhere.
     */
    Duration backoff(Throwable error) {
      Optional<PartlyDoneException> partlyDone = PartlyDoneException.within(error);
      rest = partlyDone.map(PartlyDoneException::rest);
      last = error;
      if (partlyDone.filter(PartlyDoneException::progressed).isPresent()) {
        fruitless.set(0);
      }
      int doublings = Math.min(fruitless.getAndIncrement(), 40);
      long ceiling =
          initialBackoff > (maxBackoff >> doublings) ? maxBackoff : initialBackoff << doublings;
      long drawn;
      synchronized (jitter) {
        drawn = jitter.nextLong(ceiling + 1);
      }
      // Never none at all: it would begin on the thread, and inside the completion, of the failed
      // one.
      Duration delay = Duration.ofNanos(Math.max(1, Math.min(drawn, left().toNanos())));
      LOG.info(
          "Attempt {} to {} '{}' failed and is repeated in {}",
          attempts,
          action,
          key,
          delay,
          error);
      return delay;
    }

    CompletionException failure(Throwable error) {
      if (!retryable(error)) {
        return error instanceof CompletionException wrapped
            ? wrapped
            : new CompletionException(error);
      }
      metrics.gaveUp();
      StoreException last = StoreException.in(error).orElseThrow();
      return new CompletionException(
          new StoreException(
              last.fault(),
              "Gave up trying to %s '%s' at %s: %s (%d attempts in %s). The last answer: %s"
                  .formatted(
                      action,
                      key,
                      address(),
                      closed
                          ? "the store was closed"
                          : "the budget retry.max-elapsed = %s is used up"
                              .formatted(seconds(maxElapsed)),
                      attempts.get(),
                      seconds(elapsed()),
                      last.getMessage()),
              last));
    }

    private boolean retryable(Throwable error) {
      return StoreException.in(error).filter(found -> found.fault().retryable()).isPresent();
    }

    private Duration elapsed() {
      return Duration.ofNanos(time.nanoTime() - start);
    }

    private Duration left() {
      return maxElapsed.minus(elapsed());
    }

    private String seconds(Duration duration) {
      return duration.toMillis() / 1000.0 + " s";
    }
  }

  /** How long and how patiently to retry; a simulation puts its own time and randomness in. */
  public static final class Builder {
    private final ObjectStore store;
    private Duration maxElapsed = StoreDefaults.RETRY_MAX_ELAPSED;
    private Duration initialBackoff = StoreDefaults.RETRY_INITIAL_BACKOFF;
    private Duration maxBackoff = StoreDefaults.RETRY_MAX_BACKOFF;
    private Time time = Time.SYSTEM;
    private Scheduler scheduler = RetryScheduler.SHARED;
    private RandomGenerator jitter = new SplittableRandom();
    private StoreMetrics metrics = new StoreMetrics();

    private Builder(ObjectStore store) {
      this.store = requireNonNull(store);
    }

    /** The options {@code retry.max-elapsed}, {@code .initial-backoff} and {@code .max-backoff}. */
    public Builder options(Map<String, String> options) {
      StoreOptions read = new StoreOptions(options);
      maxElapsed = read.duration("retry.max-elapsed", maxElapsed);
      initialBackoff = read.duration("retry.initial-backoff", initialBackoff);
      maxBackoff = read.duration("retry.max-backoff", maxBackoff);
      return this;
    }

    /** No attempt begins later than this after the call; zero: no retries. */
    public Builder maxElapsed(Duration budget) {
      this.maxElapsed = requireNonNull(budget);
      return this;
    }

    /**
     * The first wait is drawn from 0 to {@code initial}, and the range doubles up to {@code max}.
     */
    public Builder backoff(Duration initial, Duration max) {
      this.initialBackoff = requireNonNull(initial);
      this.maxBackoff = requireNonNull(max);
      return this;
    }

    /** Measures the budget. Virtual time needs a {@link #scheduler} that waits in it, too. */
    public Builder time(Time time) {
      this.time = requireNonNull(time);
      return this;
    }

    /** Runs attempts after a delay; those without delay as well. */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = requireNonNull(scheduler);
      return this;
    }

    /** Where jitter comes from; seeded, the waits are the same in each run. */
    public Builder jitter(RandomGenerator jitter) {
      this.jitter = requireNonNull(jitter);
      return this;
    }

    public Builder metrics(StoreMetrics metrics) {
      this.metrics = requireNonNull(metrics);
      return this;
    }

    public RetryingStore build() {
      if (maxElapsed.isNegative() || initialBackoff.isNegative()) {
        throw new StoreException(Fault.INVALID, "retry.max-elapsed and backoffs must not be < 0.");
      }
      if (initialBackoff.compareTo(maxBackoff) > 0) {
        throw new StoreException(
            Fault.INVALID,
            "retry.initial-backoff = %s is above retry.max-backoff = %s. Raise the second or lower the first."
                .formatted(initialBackoff, maxBackoff));
      }
      return new RetryingStore(this);
    }
  }
}
