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
package dev.lakestream.flink.source;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/** Splits without a reader, the earliest step first. Cuts them only when a reader asks. */
final class SplitQueue {

  private static final Comparator<BundleSplit> EARLIEST =
      Comparator.<BundleSplit>comparingLong(split -> split.bundle().firstStep())
          .thenComparingInt(split -> split.ranks().first());

  private final SliceOwners owners;
  private final long splitSize;
  private final TreeSet<BundleSplit> splits = new TreeSet<>(EARLIEST);

  /**
   * @param splitSize about so many bytes are handed to a reader at a time, where order allows
   */
  SplitQueue(SliceOwners owners, long splitSize) {
    this.owners = owners;
    this.splitSize = splitSize;
  }

  void addAll(Collection<BundleSplit> more) {
    splits.addAll(more);
  }

  int size() {
    return splits.size();
  }

  List<BundleSplit> toList() {
    return new ArrayList<>(splits);
  }

  /** The earliest work of this reader; empty if there is none for it. */
  Optional<BundleSplit> poll(int subtask, int parallelism) {
    Iterator<BundleSplit> waiting = splits.iterator();
    while (waiting.hasNext()) {
      BundleSplit split = waiting.next();
      IntPredicate mine = share(split, subtask, parallelism);
      if (split.ranks().filter(mine).isEmpty()) {
        continue;
      }
      waiting.remove();
      Optional<BundleSplit> rest = split.restrictedTo(mine.negate());
      Optional<BundleSplit> taken = split.restrictedTo(mine);
      rest.ifPresent(splits::add);
      if (taken.isPresent()) {
        return taken;
      }
      waiting = splits.iterator(); // These ranks had been read to their end: look further.
    }
    return Optional.empty();
  }

  /** Whether there is work for this reader. */
  boolean holdsFor(int subtask, int parallelism) {
    return splits.stream()
        .anyMatch(split -> !split.ranks().filter(share(split, subtask, parallelism)).isEmpty());
  }

  /** In any order but the global one a reader gets a part of its ranks, if all are too much. */
  private IntPredicate share(BundleSplit split, int subtask, int parallelism) {
    int cp = split.bundle().bundle().mesh().cp();
    IntPredicate owned = rank -> owners.owns(subtask, parallelism, rank / cp, rank % cp);
    Optional<BundleSplit> mine =
        owners.cutsBetweenRanks() ? split.restrictedTo(owned) : Optional.empty();
    if (mine.isEmpty()) {
      return owned;
    }
    int ranks = mine.get().ranks().count();
    long parts = parts(mine.get(), splitSize);
    int last = mine.get().ranks().head((int) ((ranks + parts - 1) / parts)).end();
    return rank -> rank < last && owned.test(rank);
  }

  /** Into how many parts of about the wanted size a split can be cut between its ranks. */
  static long parts(BundleSplit split, long splitSize) {
    long wanted = Math.round(split.estimatedBytes() / (double) splitSize);
    return Math.min(split.ranks().count(), Math.max(1, wanted));
  }
}
