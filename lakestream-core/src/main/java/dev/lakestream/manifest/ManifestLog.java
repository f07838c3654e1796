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
package dev.lakestream.manifest;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The numbered manifests of one stream.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>The live manifests are one contiguous run of numbers that ends in the head, and
 *       reclamation, which deletes the oldest first, never deletes the head. The head is the only
 *       root.
 *   <li>A number below the run may be created by a writer that slept, and found by a reader that
 *       slept. So a manifest without a known successor is believed only when one listing shows it
 *       with nothing, or with its own child, behind it (invariant I8).
 *   <li>A listing shows the store as it was at some moment. It may be old: one that does not show
 *       the manifest in question says nothing and is asked for again. It is never as old as the
 *       youngest manifest that reclamation deletes, or else it could show a number as it was before
 *       it was freed and taken again; where listings may be stale, reclamation has to keep what is
 *       younger than that.
 *   <li>Streams that follow one another at an address share the numbers: one is dropped by a last
 *       manifest, and the next begins above it. So whatever a sleeping writer of the dropped one
 *       creates is not live, and a manifest of another stream above one's own says that one's own
 *       is gone.
 *   <li>Whoever deletes a stream by other means stops its writers first. If not, the next commit
 *       finds the parent of its manifest gone by the listing that it makes anyway, and then the
 *       {@code stream} object, and fails; but it has created a manifest by then, which a stream
 *       that had been created meanwhile does not survive: that one has to be dropped, too.
 *   <li>A manifest that was overwritten breaks the chain of commit ids where the next one is read
 *       (invariant I6).
 * </ul>
 *
 * Thread-safe.
 */
public final class ManifestLog {

  /**
   * Missing more versions than this, a reader jumps to the head: a listing and a whole manifest are
   * sooner there than more deltas, each of which waits for the one before.
   */
  private static final int MAX_DELTAS = 4;

  /** Then what was found is returned, lest a slow reader run after fast writers for ever. */
  private static final int MAX_JUMPS = 3;

  /** Answers within it are of one moment; much less than what reclamation leaves a manifest. */
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  private static final int LIVENESS_TRIES = 8;
  private static final Duration LIVENESS_WAIT = Duration.ofMillis(200);

  private final ObjectStore store;
  private final Time time;
  private final UUID streamId;
  private final ManifestReader reader;
  private final HeadFinder finder;

  ManifestLog(ObjectStore store, UUID streamId, Time time) {
    this.store = store;
    this.time = time;
    this.streamId = streamId;
    this.reader = new ManifestReader(store, streamId);
    this.finder = new HeadFinder(store);
  }

  /**
   * A manifest that was the newest at a moment.
   *
   * @param asOf when the read began that found nothing after it, by the monotonic clock
   */
  public record Newest(Manifest manifest, long asOf) {}

  /**
   * The newest manifest, found without knowing any: O(log n) listings, O(1) once old manifests are
   * reclaimed.
   *
   * @throws StreamDroppedException if the stream was dropped
   */
  public Manifest newest() {
    return observeNewest().manifest();
  }

  /** The same as {@link #newest()}, with the time of which it is true. */
  public Newest observeNewest() {
    for (int attempt = 0; ; attempt++) {
      Optional<Newest> head = listedHead(attempt < LIVENESS_TRIES);
      if (head.isPresent()) {
        return notDropped(head.get());
      }
      if (attempt >= LIVENESS_TRIES) {
        throw new CorruptObjectException(
            "Stream "
                + store.address()
                + " has no manifest that can be believed: none is listed, or the listing stays"
                + " stale, or the newest one listed has been overwritten. Run verify on it.");
      }
      time.sleep(LIVENESS_WAIT);
    }
  }

  private Newest notDropped(Newest live) {
    if (live.manifest().dropped()) {
      throw StreamDroppedException.endedBy(live.manifest(), store.address());
    }
    return live;
  }

  /**
   * The head by a listing and by what follows it; empty if the listing was worth nothing, because
   * it was old or what it showed has been reclaimed since.
   *
   * @param maybeNew whether a manifest of another stream may be what was dropped before this one,
   *     whose creator is about to write its first
   */
  private Optional<Newest> listedHead(boolean maybeNew) {
    try {
      long version = finder.newestListed().orElse(0);
      Optional<Newest> quiet = quietHead(version);
      if (quiet.isPresent()) {
        return quiet;
      }
      return at(version).map(this::follow).filter(newest -> isLive(newest.manifest()));
    } catch (ReclaimedException goneMeanwhile) {
      return Optional.empty();
    } catch (StreamDroppedException another) {
      if (maybeNew) {
        return Optional.empty();
      }
      throw another;
    }
  }

  /**
   * The manifest that was listed as the newest, if it still is: it, the missing next number and the
   * listing that confirms it are asked for at once, which spares whoever opens a stream two round
   * trips. Empty if there is anything to look at more closely, or if the three answers came so far
   * apart (a request was repeated, this process stood still) that one says nothing of the others.
   */
  private Optional<Newest> quietHead(long version) {
    long asOf = time.nanoTime();
    CompletableFuture<Suffix> own = reader.begin(version);
    CompletableFuture<Suffix> next = reader.beginDelta(version + 1);
    CompletableFuture<Listing> listing = finder.from(version);
    Optional<Suffix> found = ManifestReader.found(own);
    boolean isQuiet =
        ManifestReader.found(next).isEmpty() && HeadFinder.isLast(Futures.await(listing), version);
    if (found.isEmpty() || !isQuiet || time.nanoTime() - asOf > AT_ONCE.toNanos()) {
      return Optional.empty();
    }
    return Optional.of(new Newest(reader.whole(version, found.get()), asOf));
  }

  /**
   * The newest manifest for one who stands at {@code known}: by deltas if few are missing.
   *
   * @throws ReclaimedException if {@code known} is no longer part of the stream
   * @throws StreamDroppedException if the stream was dropped
   */
  public Manifest newest(Manifest known) {
    return observeNewest(known).manifest();
  }

  /** The same as {@link #newest(Manifest)}, with the time of which it is true. */
  public Newest observeNewest(Manifest known) {
    Newest newest = follow(known);
    if (newest.manifest() != known && !isLive(newest.manifest())) {
      throw new ReclaimedException(store.address(), known.version(), "the reader slept");
    }
    return notDropped(newest);
  }

  /**
   * The newest manifest that one listing shows behind {@code known}, or {@code known}. It is not
   * followed, nor asked whether it is live: the quickest way to a base for one who loses all races,
   * and good for nothing else.
   */
  public Newest glimpse(Manifest known) {
    long asOf = time.nanoTime();
    return new Newest(newestListedAfter(known).orElse(known), asOf);
  }

  /**
   * What follows {@code known}: its children, then what a listing shows beyond them and the
   * children of that, so that a stale listing hides nothing. Whether the last one is live is for
   * the caller to ask; that it is the newest of all, with writers at work, nobody can say.
   */
  private Newest follow(Manifest known) {
    Newest newest = children(known);
    Manifest from = known;
    for (int jumps = 0;
        jumps < MAX_JUMPS && newest.manifest().version() >= from.version() + MAX_DELTAS;
        jumps++) {
      Manifest last = newest.manifest();
      from = newestListedAfter(last).orElse(last);
      newest = children(from);
    }
    return newest;
  }

  private Newest children(Manifest known) {
    Manifest current = known;
    long asOf = time.nanoTime();
    for (int i = 0; i < MAX_DELTAS; i++) {
      Optional<Manifest> next = reader.child(current);
      if (next.isEmpty()) {
        return new Newest(current, asOf);
      }
      current = next.get();
      asOf = time.nanoTime();
    }
    return new Newest(current, asOf);
  }

  private Optional<Manifest> newestListedAfter(Manifest known) {
    OptionalLong listed = finder.newestListedAfter(known.version());
    return listed.isPresent() ? at(listed.getAsLong()) : Optional.empty();
  }

  /**
   * Whether nothing has come after {@code known}, by a listing rather than by a 404 alone, which a
   * reclaimed number gives too. To be asked now and then by who sees only 404s.
   */
  public boolean isHead(Manifest known) {
    return isLive(known) && reader.child(known).isEmpty();
  }

  /**
   * The manifest with this number, read whole; empty if there is none. Says nothing of its being
   * live.
   */
  public Optional<Manifest> at(long version) {
    return reader.at(version);
  }

  /**
   * The manifest after {@code parent} as its delta makes it of the parent, whatever the rest of the
   * object says: an audit compares it with {@link #at}. Empty if there is none.
   *
   * @throws ReclaimedException if the delta names another parent
   */
  public Optional<Manifest> fromDelta(Manifest parent) {
    return reader.fromDelta(parent);
  }

  /**
   * Whether {@code manifest}, which is in the store, is part of the stream (invariant I8).
   *
   * @return false also when listings stay too stale to tell: the caller then rebases on the head,
   *     which costs a retry
   * @throws StreamDroppedException if there is no such stream any more
   */
  public boolean isLive(Manifest manifest) {
    for (int attempt = 0; attempt < LIVENESS_TRIES; attempt++) {
      switch (finder.placeOf(manifest.version())) {
        case LAST:
          return true;
        case ALONE:
          requireStreamObject();
          return true;
        case FOLLOWED:
          return reader.isParentOfNext(manifest);
        case BEFORE_A_HOLE:
          return false;
        case NOT_LISTED:
          if (!reader.exists(manifest.version())) {
            return false;
          }
          time.sleep(LIVENESS_WAIT.multipliedBy(attempt + 1L));
      }
    }
    return false;
  }

  /**
   * Asked only when the listing that tells of liveness does not show the parent either: reclamation
   * leaves it for a while, so that as a rule somebody has deleted the whole stream.
   */
  private void requireStreamObject() {
    try {
      UUID there = StreamObject.read(store).id();
      if (!there.equals(streamId)) {
        throw StreamDroppedException.replaced(
            "The stream object of " + store.address(), there, streamId);
      }
    } catch (StreamNotFoundException e) {
      throw StreamDroppedException.deleted(streamId, e);
    }
  }

  /** The object that makes {@code candidate} the manifest after {@code parent}. */
  public byte[] encode(Manifest candidate, Manifest parent) {
    return ManifestCodec.encode(
        ManifestRules.checked(candidate, reader.what(candidate.version())), Optional.of(parent));
  }

  /**
   * Tries to take the number {@code version} for {@code object}.
   *
   * @return a future that fails with a retryable {@link StoreException} when the outcome is unknown
   */
  public CompletableFuture<CreateOutcome> create(long version, byte[] object) {
    return store.createIfAbsent(StreamKeys.manifest(version), Payload.of(object));
  }

  /**
   * A page of live and dead manifests after {@code version}, for tools that audit the store at
   * rest.
   */
  public Listing list(long version, int limit) {
    return Futures.await(
        store.list(
            StreamKeys.MANIFEST_PREFIX, version < 0 ? "" : StreamKeys.manifest(version), limit));
  }
}
