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

import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Finds the highest manifest number with listings. Foreign objects under the prefix are passed
 * over, and a store whose listings are not in key order is listed to its end instead of being
 * searched.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A listing may be old, and so may an answer be too low: the caller reads on from it until a
 *       number is missing. What it shows was there once.
 *   <li>One that does not show the number that it was asked about says nothing ({@link
 *       Place#NOT_LISTED}): it is asked again, and never taken for "nothing follows".
 *   <li>One that shows it shows what was there before it, too. A store whose listings leave out an
 *       older object while they show a newer one would break this, and with it invariant I8.
 * </ul>
 */
final class HeadFinder {

  private static final int PAGE = 1000;
  private static final int NEIGHBOURS = 8;

  /** Where a manifest stands in a listing that starts before it. */
  enum Place {
    /** The listing does not show it: it is gone, or the listing is old. */
    NOT_LISTED,
    /** Nothing is listed after it, and the number before it is. */
    LAST,
    /** Neither the number before it nor anything after it is listed. */
    ALONE,
    /** The next number is listed after it. */
    FOLLOWED,
    /** A number is listed after it, and the next one is not. */
    BEFORE_A_HOLE
  }

  private final ObjectStore store;

  HeadFinder(ObjectStore store) {
    this.store = store;
  }

  OptionalLong newestListed() {
    return newestListedAfter(-1);
  }

  /**
   * The highest number above {@code version}. "Is anything listed above v?" is monotone in v, so
   * the head is found by doubling and halving: O(log n) requests, and one request when the rest
   * fits a page.
   */
  OptionalLong newestListedAfter(long version) {
    Page page = page(version, PAGE);
    if (page.highest < 0) {
      return OptionalLong.empty();
    }
    if (!page.more) {
      return OptionalLong.of(page.highest);
    }
    if (!page.ordered) {
      return OptionalLong.of(highestOfAll(page, version));
    }
    // low is listed; nothing above high is.
    long low = page.highest;
    long step = PAGE;
    long high = Long.MAX_VALUE;
    while (low < high) {
      long probe = high == Long.MAX_VALUE ? low + step : low + (high - low) / 2;
      Page found = page(probe, PAGE);
      if (found.highest < 0) {
        high = probe;
      } else if (!found.more) {
        return OptionalLong.of(found.highest);
      } else {
        low = found.highest;
        step *= 2;
      }
    }
    return OptionalLong.of(low);
  }

  private long highestOfAll(Page first, long version) {
    long highest = first.highest;
    String marker = first.lastKey;
    boolean more = first.more;
    while (more) {
      Page next = page(marker, version, PAGE);
      highest = Math.max(highest, next.highest);
      more = next.more && !next.lastKey.equals(marker);
      marker = next.lastKey;
    }
    return highest;
  }

  /** One listing from just before the number before {@code version}. */
  Place placeOf(long version) {
    Page page = page(version - 2, NEIGHBOURS);
    if (!page.numbers.contains(version)) {
      return Place.NOT_LISTED;
    }
    Long next = page.numbers.higher(version);
    if (next == null) {
      return version == 0 || page.numbers.contains(version - 1) ? Place.LAST : Place.ALONE;
    }
    return next == version + 1 ? Place.FOLLOWED : Place.BEFORE_A_HOLE;
  }

  /** Begins to ask what is listed from {@code version} on; for {@link #isLast}. */
  CompletableFuture<Listing> from(long version) {
    return store.list(
        StreamKeys.MANIFEST_PREFIX,
        version == 0 ? "" : StreamKeys.manifest(version - 1),
        NEIGHBOURS);
  }

  /** Whether the listing shows {@code version} and nothing after it, beyond doubt. */
  static boolean isLast(Listing from, long version) {
    List<Long> listed =
        from.objects().stream()
            .map(entry -> StreamKeys.manifestVersion(entry.key()))
            .filter(OptionalLong::isPresent)
            .map(OptionalLong::getAsLong)
            .filter(found -> found >= version)
            .toList();
    return !from.truncated() && listed.equals(List.of(version));
  }

  private record Page(
      TreeSet<Long> numbers, long highest, boolean more, boolean ordered, String lastKey) {}

  private Page page(long version, int limit) {
    return page(version < 0 ? "" : StreamKeys.manifest(version), version, limit);
  }

  /**
   * A page with at least one manifest in it, unless there is none: pages of foreign objects are
   * passed over.
   */
  private Page page(String startAfter, long version, int limit) {
    TreeSet<Long> numbers = new TreeSet<>();
    boolean ordered = true;
    String last = startAfter;
    boolean more = true;
    while (more && (numbers.isEmpty() || numbers.size() < Math.min(limit, NEIGHBOURS))) {
      Listing listing = Futures.await(store.list(StreamKeys.MANIFEST_PREFIX, last, limit));
      String previous = last;
      for (Listing.Entry entry : listing.objects()) {
        ordered &= entry.key().compareTo(last) > 0;
        last = entry.key();
        StreamKeys.manifestVersion(entry.key())
            .ifPresent(
                found -> {
                  if (found > version) {
                    numbers.add(found);
                  }
                });
      }
      more = listing.truncated() && !last.equals(previous);
    }
    return new Page(numbers, numbers.isEmpty() ? -1 : numbers.last(), more, ordered, last);
  }
}
