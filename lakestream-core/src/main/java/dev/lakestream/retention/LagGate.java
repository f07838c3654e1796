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

import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ReclaimedException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Back-pressure by {@code max_lag} (DESIGN section 4.3): producers stop while {@code next_step -
 * W_global > max_lag}, and go on by themselves when the watermark advances.
 *
 * <p>W_global is here the minimum over the groups of consumers. A tag pins history too, and nobody
 * would ever move it on, so it does not count. While no group has recorded anything, consumers are
 * taken to stand at the first step that the stream holds.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Watermarks only advance, so one that was read a while ago lets too little pass, never too
 *       much. One that went back (a rank that restored an older checkpoint) is seen within {@value
 *       #REFRESH_SECONDS} s.
 *   <li>What other producers publish is seen at the next look at the head, after at most one {@code
 *       poll}: together they may be ahead by what each of them had under way meanwhile.
 *   <li>A request that fails is thrown: the caller's state is unchanged, and it may ask again.
 * </ul>
 *
 * <p>Costs: one small read of the head every {@code poll}, and while there is no room a listing of
 * the watermarks and a read of each, for at most a tenth of the time. Thread-safe.
 */
public final class LagGate {

  /** Watermarks are read again after so long even where there is room. */
  private static final int REFRESH_SECONDS = 60;

  /** Reading watermarks takes at most this part of the time. */
  private static final int DUTY = 10;

  /** The first look after one that found no room comes after this part of {@code poll}. */
  private static final int FIRST_PAUSE = 16;

  private static final Duration COMPLAIN = Duration.ofMinutes(1);
  private static final Logger LOG = LoggerFactory.getLogger(LagGate.class);

  private final TrainingStream stream;
  private final LagSettings settings;
  private final Time time;

  /** Guards what follows; not held during requests. */
  private final Object lock = new Object();

  private Manifest head;
  private long headReadAt;
  private long publishedTo;
  private GlobalWatermark watermark;
  private long watermarkReadAt;
  private long nextWatermarkRead;

  public LagGate(TrainingStream stream, LagSettings settings) {
    this.stream = stream;
    this.settings = settings;
    this.time = stream.time();
  }

  /**
   * Whether another step may be added now, by what is known; makes no request. False also when what
   * is known is older than {@code poll}: {@link #admission} then asks the store.
   *
   * @param ahead steps that this producer has taken on and not published yet
   */
  public boolean admits(long ahead) {
    synchronized (lock) {
      return head != null
          && watermark != null
          && time.nanoTime() - headReadAt < settings.poll().toNanos()
          && room(ahead) >= 1;
    }
  }

  /**
   * Waits until {@link #admits} is true, in the caller's thread.
   *
   * @param ahead asked again and again, as publishing goes on meanwhile; what it throws ends the
   *     wait
   * @throws LagTimeoutException when the consumers do not move
   */
  public void await(LongSupplier ahead) {
    await(ahead, () -> false);
  }

  /**
   * The same for a caller that must not block: completes when there is room, or fails with what
   * {@link #await} would throw. To be cancelled by a caller that is not interested any more.
   */
  public CompletableFuture<Void> admission(LongSupplier ahead) {
    CompletableFuture<Void> admission = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                await(ahead, admission::isDone);
                admission.complete(null);
              } catch (RuntimeException | Error e) {
                admission.completeExceptionally(e);
              }
            },
            "lakestream-max-lag");
    waiting.setDaemon(true);
    waiting.start();
    return admission;
  }

  /** This producer has published, and the stream goes on at this step. */
  public void published(long nextStep) {
    synchronized (lock) {
      publishedTo = Math.max(publishedTo, nextStep);
    }
  }

  /**
   * The newest sequence that a submission has published under any producer id, as known; 0: none.
   */
  public long publishedSequence(UUID owner) {
    synchronized (lock) {
      return head == null
          ? 0
          : head.producers().stream()
              .filter(producer -> producer.currentOwner().id().equals(owner))
              .mapToLong(producer -> producer.currentLineage().sequence())
              .max()
              .orElse(0);
    }
  }

  /** How many steps the stream is ahead of its slowest consumer, as known; -1: not known yet. */
  public long lag() {
    synchronized (lock) {
      return head == null || watermark == null ? -1 : nextStep() - consumed();
    }
  }

  private void await(LongSupplier ahead, BooleanSupplier cancelled) {
    long complainAt = time.nanoTime() + COMPLAIN.toNanos();
    long movedAt = time.nanoTime();
    long consumed = -1;
    // Often only an own publication is being counted twice, for a moment: look again soon.
    Duration pause = settings.poll().dividedBy(FIRST_PAUSE);
    while (!cancelled.getAsBoolean()) {
      long wanted = ahead.getAsLong();
      if (admits(wanted)) {
        return;
      }
      refreshHead();
      boolean isLast = time.nanoTime() - movedAt >= settings.timeout().toNanos();
      refreshWatermark(wanted, isLast);
      long now = time.nanoTime();
      synchronized (lock) {
        if (room(wanted) >= 1) {
          return;
        }
        if (consumed() != consumed) {
          consumed = consumed();
          movedAt = now;
          isLast = false;
        }
      }
      if (isLast) {
        throw timeout();
      }
      if (now - complainAt >= 0) {
        complainAt = now + COMPLAIN.toNanos();
        LOG.warn("Publishing waits. {}", situation());
      }
      time.sleep(pause);
      pause =
          pause.compareTo(settings.poll().dividedBy(2)) < 0
              ? pause.multipliedBy(2)
              : settings.poll();
    }
  }

  private void refreshHead() {
    Manifest known;
    synchronized (lock) {
      known = head;
      if (known != null && time.nanoTime() - headReadAt < settings.poll().toNanos()) {
        return;
      }
    }
    long readAt = time.nanoTime();
    Manifest newest;
    try {
      newest = known == null ? stream.log().newest() : stream.log().newest(known);
    } catch (ReclaimedException slept) {
      newest = stream.log().newest();
    }
    synchronized (lock) {
      if (head == null || newest.version() >= head.version()) {
        head = newest;
        headReadAt = readAt;
      }
    }
  }

  /**
   * Only when it may open the gate, or has not been looked at for long.
   *
   * @param now whether to look even if that was done a moment ago
   */
  private void refreshWatermark(long ahead, boolean now) {
    long begun = time.nanoTime();
    synchronized (lock) {
      boolean needed =
          watermark == null
              || room(ahead) < 1
              || begun - watermarkReadAt >= Duration.ofSeconds(REFRESH_SECONDS).toNanos();
      if (!needed || (watermark != null && !now && begun - nextWatermarkRead < 0)) {
        return;
      }
    }
    GlobalWatermark read = GlobalWatermark.of(new Watermarks(stream).all(), List.of());
    // By a listing: what follows a manifest that was reclaimed meanwhile is never found.
    Manifest newest = stream.log().newest();
    synchronized (lock) {
      head = newest.version() >= head.version() ? newest : head;
      watermark = read;
      watermarkReadAt = begun;
      long took = time.nanoTime() - begun;
      nextWatermarkRead = begun + Math.max(DUTY * took, settings.poll().toNanos());
    }
  }

  /** Guarded by the lock, as are those below. */
  private long room(long ahead) {
    return settings.maxLag() - (nextStep() + ahead - consumed());
  }

  private long nextStep() {
    return Math.max(publishedTo, head.nextStep());
  }

  private long consumed() {
    return watermark.slowest().map(Hold::step).orElse(head.firstStep());
  }

  private LagTimeoutException timeout() {
    synchronized (lock) {
      return new LagTimeoutException(
          "Publishing waited for "
              + settings.timeout()
              + " in which no watermark moved. "
              + situation()
              + " See to the consumer; or, if it is gone for good, drop its group (lakestream"
              + " watermarks --drop GROUP). If it is well, max_lag is too low: it must be more than"
              + " the steps between two of its checkpoints, times the checkpoints that it keeps.",
          watermark.slowest().orElse(null));
    }
  }

  private String situation() {
    synchronized (lock) {
      Optional<Hold> slowest = watermark.slowest();
      return stream
          + " goes up to step "
          + nextStep()
          + ", and "
          + slowest
              .map(hold -> "the slowest consumer is " + hold)
              .orElse(
                  "no consumer has recorded where it stands, which counts as step "
                      + head.firstStep())
          + "; max_lag is "
          + settings.maxLag()
          + ".";
    }
  }
}
