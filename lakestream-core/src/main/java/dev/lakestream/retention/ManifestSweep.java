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
import dev.lakestream.manifest.ManifestLog;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Listing;
import dev.lakestream.store.Listings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Deletes old manifests, one after the other from the oldest on, so that those that are left are
 * always one run; and finds out which is the oldest one left. Segments are deleted by that answer.
 *
 * <p>Assumptions, and what becomes of the stream when one fails:
 *
 * <ul>
 *   <li>The head is read after the listing, and {@link ManifestRule} lets nothing go that is not
 *       far below it. So an old listing offers fewer manifests and never the head.
 *   <li>Each deletion has ended before the next begins. Killed in between, what is left is a run,
 *       and the next sweep goes on where this one ended. Two sweeps at once delete the same
 *       manifests, in the same order; one that slept deletes what is gone, or was freed and made
 *       again by a writer that slept, too, which is not part of the stream (invariant I8).
 *   <li>A deleted manifest has been followed for longer than any listing may be out of date, or a
 *       reader may sleep: whoever stands there nevertheless is told that it was reclaimed.
 *   <li>Whether a manifest right below the run is part of it, its stamp tells, if the store stamps
 *       at all and its machines differ by less than {@link #STAMPS}; otherwise its child is asked.
 *       Were a stamp wrong by more, a dead manifest would count as the oldest one left, and
 *       segments of the old manifests above it could go while a reader stands there. The head keeps
 *       all of its own: {@link SegmentRule} asks it, too.
 * </ul>
 */
final class ManifestSweep {

  /** Clocks of a store's machines, and the resolution of its stamps, may differ by so much. */
  private static final Duration STAMPS = Duration.ofSeconds(10);

  private final ManifestLog log;
  private final ReclaimSettings settings;
  private final StoreClock clock;
  private final TreeMap<Long, Listing.Entry> listed = new TreeMap<>();

  /** Lists them. */
  ManifestSweep(TrainingStream stream, ReclaimSettings settings, StoreClock clock) {
    this.log = stream.log();
    this.settings = settings;
    this.clock = clock;
    Listings.forEach(
        stream.store(),
        StreamKeys.MANIFEST_PREFIX,
        entry ->
            StreamKeys.manifestVersion(entry.key())
                .ifPresent(version -> listed.put(version, entry)));
  }

  /**
   * Deletes; returns the lowest version that is left and part of the stream.
   *
   * @param newest the head, read after the listing
   */
  long run(Manifest newest, GuardedDeleter deleter) {
    if (listed.isEmpty()) {
      return newest.version();
    }
    ManifestRule rule = new ManifestRule(listed, newest.version(), settings, clock);
    long firstLeft = newest.version();
    for (Map.Entry<Long, Listing.Entry> manifest : listed.entrySet()) {
      if (!deleter.offer(manifest.getValue(), rule)) {
        firstLeft = Math.min(manifest.getKey(), firstLeft);
        break;
      }
      deleter.drain();
    }
    return bottomOfRun(firstLeft, newest.version());
  }

  /** A manifest right below the run may not be part of it: a writer that slept made it. */
  private long bottomOfRun(long firstLeft, long newest) {
    long version = Math.min(listed.lastKey(), newest);
    while (version > firstLeft && listed.containsKey(version - 1) && isParent(version - 1)) {
      version--;
    }
    while (version < newest && !isOfThisStream(version)) {
      version++;
    }
    return version;
  }

  /** What lies right below a stream's first manifest ended another one, dropped at the address. */
  private boolean isOfThisStream(long version) {
    try {
      log.at(version);
      return true;
    } catch (StreamDroppedException foreign) {
      return false;
    }
  }

  /**
   * By the stamps, where these can tell: whoever slept made its manifest after the number had been
   * freed, and it is freed only when the next one is old.
   */
  private boolean isParent(long version) {
    long stamp = listed.get(version).lastModified();
    long next = listed.get(version + 1).lastModified();
    boolean stampsTell = settings.manifestAge().compareTo(STAMPS.multipliedBy(2)) > 0;
    if (stampsTell && stamp > 0 && stamp <= next + STAMPS.toMillis()) {
      return true;
    }
    Optional<Manifest> parent = isOfThisStream(version) ? log.at(version) : Optional.empty();
    return parent.isPresent()
        && log.at(version + 1)
            .filter(child -> child.parentCommitId().equals(parent.map(Manifest::commitId)))
            .isPresent();
  }
}
