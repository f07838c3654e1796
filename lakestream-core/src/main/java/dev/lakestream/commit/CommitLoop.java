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
package dev.lakestream.commit;

import dev.lakestream.LakestreamException;
import dev.lakestream.commit.pacing.PacingPolicy;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ManifestLog;
import dev.lakestream.manifest.ManifestSize;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.ReclaimedException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes manifests: {@code base ← newest known; candidate = base + mine; create the next number;
 * lost? rebase, pace, retry} (DESIGN section 4).
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A create is decided by the store alone. When its reply is lost the number is read and the
 *       commit id compared with those of all attempts of this commit, so that an own earlier
 *       attempt is recognised, whichever it was (invariant I5). A number still free is tried again:
 *       the late request, should it arrive, then loses.
 *   <li>A create below the live manifests (this writer slept while they were reclaimed) succeeds
 *       and means nothing. It is found out by a listing before success is reported (invariant I8).
 *   <li>The stream may be dropped, and another made in its place, while this writer works or
 *       sleeps. Then the number it wants is taken by what ended the stream, or its manifest is not
 *       live, or alone: what is read to settle that says so ({@link
 *       dev.lakestream.manifest.StreamDroppedException}), at no request more for a commit.
 *   <li>What a transaction wants is decided anew on every base, so that work that is in the stream
 *       already is never appended twice.
 * </ul>
 *
 * Used by one thread at a time.
 */
public final class CommitLoop {

  private static final Logger LOG = LoggerFactory.getLogger(CommitLoop.class);

  private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);

  private final TrainingStream stream;
  private final ManifestLog log;
  private final Time time;
  private final CommitSettings settings;
  private final PacingPolicy pacing;
  private final RandomGenerator random;
  private final CommitMetrics metrics;
  private Optional<Manifest> head = Optional.empty();
  private long notBefore;
  private boolean largeManifestTold;

  public CommitLoop(
      TrainingStream stream,
      CommitSettings settings,
      RandomGenerator random,
      CommitMetrics metrics) {
    this.stream = stream;
    this.log = stream.log();
    this.time = stream.time();
    this.settings = settings;
    this.pacing = settings.pacing().create(random);
    this.random = random;
    this.metrics = metrics;
    this.notBefore = time.nanoTime();
  }

  /** What is to be published, decided anew on every base. */
  public interface Transaction {

    /**
     * @return the manifest to publish after {@code base}; empty: the base holds already what was
     *     wanted
     * @throws dev.lakestream.LakestreamException to give up for good; nothing has been published
     *     then by this attempt
     */
    Optional<NextManifest> on(Manifest base);
  }

  /**
   * What came of a transaction.
   *
   * @param manifest the published one, or the base that made it unnecessary
   * @param published whether this call published it
   */
  public record Committed(Manifest manifest, boolean published) {}

  /**
   * Publishes {@code transaction}, whatever other producers do meanwhile.
   *
   * @throws CommitFailedException when the time is used up
   * @throws dev.lakestream.manifest.StreamDroppedException if there is no such stream any more
   * @throws StoreException when the store refuses for good (no permission, no bucket, no space)
   */
  public Committed commit(Transaction transaction) {
    long deadline = time.nanoTime() + settings.timeout().toNanos();
    Set<UUID> mine = new HashSet<>();
    Duration backoff = FIRST_BACKOFF;
    int attempts = 0;
    Optional<Manifest> winner = Optional.empty();
    sleepUntil(notBefore);
    while (true) {
      Attempt attempt;
      ManifestLog.Newest newest = null;
      try {
        Optional<NextManifest> draft = Optional.empty();
        if (winner.isPresent()) {
          newest = log.glimpse(winner.get());
          draft = tentatively(transaction, newest.manifest());
          winner = Optional.empty();
        }
        if (draft.isEmpty()) {
          newest = refresh();
          draft = transaction.on(newest.manifest());
        }
        Manifest base = newest.manifest();
        if (draft.isEmpty()) {
          // An own attempt whose reply was lost may be what made it unnecessary.
          return committed(base, mine.contains(base.commitId()));
        }
        Manifest candidate = stream.seal(draft.get(), UUID.randomUUID());
        mine.add(candidate.commitId());
        attempts++;
        attempt = attempt(candidate, base, mine);
        if (attempt.decided()) {
          pace(attempt, newest);
        }
      } catch (StoreException e) {
        if (isOvertaken(newest, e)) {
          attempt = new Attempt(Result.NOT_LIVE, Optional.empty(), time.nanoTime(), Optional.of(e));
        } else if (e.fault().retryable()) {
          attempt =
              new Attempt(Result.UNDECIDED, Optional.empty(), time.nanoTime(), Optional.of(e));
        } else {
          throw e;
        }
      }
      switch (attempt.result) {
        case WON:
          return committed(attempt.manifest.orElseThrow(), true);
        case LOST:
          giveUpAfter(deadline, attempts, attempt);
          if (notBefore - time.nanoTime() <= 0) {
            winner = attempt.manifest;
          }
          sleepUntil(notBefore);
          break;
        case NOT_LIVE:
          giveUpAfter(deadline, attempts, attempt);
          head = Optional.empty();
          time.sleep(jittered(FIRST_BACKOFF));
          break;
        case UNDECIDED:
          metrics.retried();
          giveUpAfter(deadline, attempts, attempt);
          time.sleep(jittered(backoff));
          backoff = shorter(backoff.multipliedBy(2), LONGEST_BACKOFF);
          break;
      }
    }
  }

  /**
   * Whether something is missing because the base is not the newest any more: this writer slept,
   * and reclamation took away what only old manifests lead to.
   */
  private boolean isOvertaken(ManifestLog.Newest base, StoreException e) {
    if (e.fault() != Fault.MISSING || base == null) {
      return false;
    }
    try {
      return log.newest().version() > base.manifest().version();
    } catch (StoreException unknown) {
      return unknown.fault().retryable(); // asked again, in time
    }
  }

  /**
   * A draft on a base of which nobody has asked whether it is live, to be fast. If it is not, what
   * is created upon it is not either, which is found out as ever. But nothing is concluded from it:
   * whatever the transaction says instead of a draft is to be asked of a live base.
   */
  private static Optional<NextManifest> tentatively(Transaction transaction, Manifest base) {
    try {
      return transaction.on(base);
    } catch (LakestreamException asked) {
      return Optional.empty();
    }
  }

  private Committed committed(Manifest manifest, boolean published) {
    head = Optional.of(manifest);
    metrics.sawNextStep(manifest.nextStep());
    if (published) {
      metrics.published(time.nanoTime());
    }
    return new Committed(manifest, published);
  }

  /** The newest manifest that this committer knows of; reads the store if it knows none. */
  public Manifest head() {
    return refresh().manifest();
  }

  private ManifestLog.Newest refresh() {
    ManifestLog.Newest newest;
    try {
      newest = head.map(log::observeNewest).orElseGet(log::observeNewest);
    } catch (ReclaimedException slept) {
      newest = log.observeNewest();
    }
    head = Optional.of(newest.manifest());
    metrics.sawNextStep(newest.manifest().nextStep());
    return newest;
  }

  private enum Result {
    WON,
    LOST,
    NOT_LIVE,
    UNDECIDED
  }

  /**
   * How an attempt ended.
   *
   * @param manifest the one that holds the number, or that was to have it
   * @param createEnded when the conditional create had ended, by the monotonic clock
   * @param cause why it is undecided, if a request failed
   */
  private record Attempt(
      Result result,
      Optional<Manifest> manifest,
      long createEnded,
      Optional<StoreException> cause) {

    boolean won() {
      return result == Result.WON;
    }

    boolean decided() {
      return result == Result.WON || result == Result.LOST;
    }
  }

  private Attempt attempt(Manifest candidate, Manifest base, Set<UUID> mine) {
    byte[] object = log.encode(candidate, base);
    metrics.sent(object.length);
    if (!largeManifestTold) {
      Optional<String> advice = ManifestSize.advice(candidate, object.length);
      advice.ifPresent(text -> LOG.warn("{}: {}", stream, text));
      largeManifestTold = advice.isPresent();
    }
    CreateOutcome outcome = null;
    Optional<StoreException> lost = Optional.empty();
    try {
      outcome = Futures.await(log.create(candidate.version(), object));
    } catch (StoreException e) {
      if (!e.fault().retryable()) {
        throw e;
      }
      metrics.outcomeUnknown();
      lost = Optional.of(e);
    }
    long createEnded = time.nanoTime();
    Result result = Result.UNDECIDED;
    Manifest holder = candidate;
    if (outcome == CreateOutcome.CREATED) {
      result = ifLive(candidate);
    } else if (outcome != CreateOutcome.TRY_AGAIN) {
      // Learned by reading who has the number.
      Optional<Manifest> found = log.at(candidate.version());
      holder = found.orElse(candidate);
      if (found.isEmpty()) {
        // Free: the lost request was not applied (yet). Taken and gone again: reclaimed, as the
        // next refresh finds out.
        result = lost.isPresent() ? Result.UNDECIDED : Result.NOT_LIVE;
      } else {
        result = mine.contains(holder.commitId()) ? ifLive(holder) : Result.LOST;
      }
    }
    return new Attempt(result, Optional.of(holder), createEnded, lost);
  }

  private Result ifLive(Manifest created) {
    return log.isLive(created) ? Result.WON : Result.NOT_LIVE;
  }

  private void pace(Attempt attempt, ManifestLog.Newest base) {
    // Catching up with what had been missed is no part of the window: nobody can conflict with it.
    Duration window = Duration.ofNanos(attempt.createEnded - base.asOf());
    int active = Math.max(1, base.manifest().activeProducers(settings.activeWindow().toMillis()));
    Duration gap = pacing.afterAttempt(new PacingPolicy.Attempt(attempt.won(), window, active));
    notBefore = time.nanoTime() + gap.toNanos();
    metrics.decided(attempt.won(), window, gap);
  }

  private void giveUpAfter(long deadline, int attempts, Attempt last) {
    if (time.nanoTime() - deadline < 0) {
      return;
    }
    String reason =
        switch (last.result) {
          case LOST -> "another producer was faster each time";
          case NOT_LIVE -> "the manifest that was created is not part of the stream";
          default ->
              last.cause().isPresent()
                  ? "the store failed (" + last.cause().get().getMessage() + ")"
                  : "the store keeps answering that the request conflicts with another (409)";
        };
    throw new CommitFailedException(
        last.manifest()
                .map(manifest -> "Manifest " + manifest.version())
                .orElse("The next manifest")
            + " of "
            + stream
            + " was not published within "
            + settings.timeout()
            + " and "
            + attempts
            + " attempts; the last time, "
            + reason
            + ". What was to be published is kept; it is safe to try again.",
        last.cause().orElse(null));
  }

  private void sleepUntil(long nanos) {
    long wait = nanos - time.nanoTime();
    if (wait > 0) {
      time.sleep(Duration.ofNanos(wait));
    }
  }

  private Duration jittered(Duration longest) {
    return Duration.ofNanos((long) (longest.toNanos() * (0.5 + 0.5 * random.nextDouble())));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
