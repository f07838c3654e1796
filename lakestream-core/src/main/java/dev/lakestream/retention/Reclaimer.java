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

import dev.lakestream.batch.BundleName;
import dev.lakestream.commit.BundleFates;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.SegmentRef;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.ReclaimResult.Tally;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.Listings;
import dev.lakestream.store.PendingUpload;
import dev.lakestream.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Frees what nobody will ask for any more (DESIGN section 5.3): trims first, by a commit with the
 * new first step; then deletes bundles, old manifests, segments, and what unfinished work left
 * behind.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Candidates are listed first, and the newest manifest is read after: what was listed and is
 *       neither referenced there nor able to be published later ({@link BundleFates}) stays
 *       unreferenced for ever. So it does not matter how long this process sleeps between the two,
 *       or before it deletes.
 *   <li>It remembers nothing. Killed anywhere, the next run lists again what is left; two at once
 *       delete the same things.
 *   <li>The newest manifest is a live one (invariant I8): {@link
 *       dev.lakestream.manifest.ManifestLog} makes sure, for which listings must never be as old as
 *       {@code manifestAge}.
 *   <li>A watermark or a tag that is written after the trim has been decided comes too late; who
 *       writes one looks at the trim afterwards.
 *   <li>Manifests are deleted before segments, and from the oldest on: what is left of the log at
 *       any moment is one run, whose segments are there.
 * </ul>
 *
 * <p>Memory: 11 to 22 bytes for each bundle that the stream holds, and the names of its segments.
 * Used by one thread at a time.
 */
public final class Reclaimer {

  /** So many candidates are collected before the newest manifest is read. */
  private static final int CANDIDATES = 50_000;

  private static final int TRIES = 5;

  private final TrainingStream stream;
  private final ReclaimSettings settings;
  private final ReclaimListener listener;
  private final CommitSettings commits;
  private final RandomGenerator random;

  private Reclaimer(
      TrainingStream stream,
      ReclaimSettings settings,
      ReclaimListener listener,
      CommitSettings commits,
      RandomGenerator random) {
    this.stream = stream;
    this.settings = settings;
    this.listener = listener;
    this.commits = commits;
    this.random = random;
  }

  public static Reclaimer of(TrainingStream stream, ReclaimSettings settings) {
    return new Reclaimer(
        stream, settings, ReclaimListener.NONE, CommitSettings.DEFAULT, new SplittableRandom());
  }

  /** With one who hears of each deletion. */
  public Reclaimer listener(ReclaimListener heard) {
    return new Reclaimer(stream, settings, heard, commits, random);
  }

  /** With other settings of the commit that trims, and its source of jitter. */
  public Reclaimer commits(CommitSettings other, RandomGenerator jitter) {
    return new Reclaimer(stream, settings, listener, other, jitter);
  }

  /**
   * Runs once.
   *
   * @throws dev.lakestream.LakestreamException if something cannot be read or deleted; what has
   *     been done until then stays, and the next run goes on
   */
  public ReclaimResult run() {
    return new Run().run();
  }

  /** One run: what it has learned and done. */
  private final class Run {

    private final GuardedDeleter deleter =
        new GuardedDeleter(stream.store(), settings.dryRun(), listener);
    private final StoreClock clock =
        new StoreClock(stream.store(), stream.time(), !settings.dryRun());
    private Manifest head;
    private LiveObjects live;
    private Tally pending = Tally.NONE;

    ReclaimResult run() {
      long before = stream.log().newest().firstStep();
      Trim trim = new Trim(stream, settings.trimTo());
      head = settings.dryRun() ? stream.log().newest() : trim.commit(commits, random);
      long firstStep = settings.dryRun() ? trim.step(head) : head.firstStep();
      live = live(firstStep);
      bundles();
      long oldest = manifests();
      segments(oldest);
      Listings.forEach(
          stream.store(),
          "probe/",
          object -> deleter.offer(object, new ProbeRule(clock, settings.orphanAge())));
      uploads();
      deleter.drain();
      return new ReclaimResult(
          head.version(),
          before,
          firstStep,
          head.nextStep(),
          trim.heldBy(),
          deleter.tallies(),
          pending,
          oldest,
          settings.dryRun());
    }

    /** Another reclaimer may take segments away from a head that is not the newest any more. */
    private LiveObjects live(long firstStep) {
      for (int left = TRIES; ; left--) {
        try {
          return new LiveObjects(stream, head, firstStep);
        } catch (StoreException e) {
          if (e.fault() != Fault.MISSING || left == 0 || !advance()) {
            throw e;
          }
        }
      }
    }

    /**
     * Reads the newest manifest; returns whether it is newer than the one known. By a listing, and
     * never by what follows the known one: that may have been reclaimed while this process slept,
     * which looks as if nothing followed.
     */
    private boolean advance() {
      Manifest known = head;
      head = stream.log().newest();
      return head.version() > known.version();
    }

    private void bundles() {
      List<Listing.Entry> candidates = new ArrayList<>();
      Listings.forEach(
          stream.store(),
          StreamKeys.DATA_PREFIX,
          object -> {
            if (!live.hasBundle(object.key()) && BundleName.parse(object.key()).isPresent()) {
              candidates.add(object);
              if (candidates.size() >= CANDIDATES) {
                settle(candidates);
              }
            }
          });
      settle(candidates);
      deleter.drain();
    }

    private void settle(List<Listing.Entry> candidates) {
      if (candidates.isEmpty()) {
        return;
      }
      extendLive();
      BundleRule rule =
          new BundleRule(head, live, new BundleFates(head), clock, settings.orphanAge());
      for (Listing.Entry candidate : candidates) {
        if (!live.hasBundle(candidate.key()) && !deleter.offer(candidate, rule)) {
          pending = pending.plus(candidate.length());
        }
      }
      candidates.clear();
    }

    private void extendLive() {
      advance();
      for (int left = TRIES; ; left--) {
        try {
          live.extend(head);
          return;
        } catch (StoreException e) {
          if (e.fault() != Fault.MISSING || left == 0 || !advance()) {
            throw e;
          }
        }
      }
    }

    private long manifests() {
      ManifestSweep sweep = new ManifestSweep(stream, settings, clock);
      extendLive();
      return sweep.run(head, deleter);
    }

    private void segments(long oldest) {
      List<Listing.Entry> candidates = new ArrayList<>();
      Listings.forEach(
          stream.store(),
          StreamKeys.SEGMENT_PREFIX,
          object -> {
            if (!live.hasSegment(object.key())) {
              candidates.add(object);
            }
          });
      Optional<Set<String>> names = candidates.isEmpty() ? Optional.empty() : segmentsOf(oldest);
      if (names.isPresent()) {
        extendLive();
        SegmentRule rule = new SegmentRule(oldest, names.get(), live);
        candidates.forEach(candidate -> deleter.offer(candidate, rule));
      }
    }

    /** Empty: another reclaimer has taken the manifest away; segments wait for the next run. */
    private Optional<Set<String>> segmentsOf(long version) {
      try {
        return stream
            .log()
            .at(version)
            .map(
                manifest ->
                    stream.history(manifest).segments().stream()
                        .map(SegmentRef::object)
                        .collect(Collectors.toSet()));
      } catch (StoreException e) {
        if (e.fault() == Fault.MISSING && stream.log().at(version).isEmpty()) {
          return Optional.empty();
        }
        throw e;
      }
    }

    private void uploads() {
      List<PendingUpload> found =
          Futures.await(stream.store().pendingUploads(StreamKeys.DATA_PREFIX));
      for (PendingUpload upload : found) {
        deleter.offer(upload, clock.now() - settings.uploadAge().toMillis());
      }
    }
  }
}
