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
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Some sections of a bundle, by number ({@code d * C + c}), as runs of neighbours.
 *
 * @param runs in ascending order; not overlapping and not touching
 */
record RankSet(List<Run> runs) {

  /** Neighbours {@code from} to {@code to}, exclusive. */
  record Run(int from, int to) {

    Run {
      if (from < 0 || from >= to) {
        throw new IllegalArgumentException("No run of ranks from " + from + " to " + to + ".");
      }
    }

    int count() {
      return to - from;
    }
  }

  static final RankSet NONE = new RankSet(List.of());

  RankSet {
    runs = List.copyOf(runs);
    for (int i = 1; i < runs.size(); i++) {
      if (runs.get(i).from() <= runs.get(i - 1).to()) {
        throw new IllegalArgumentException("Runs out of order: " + runs + ".");
      }
    }
  }

  /** Those of the numbers below {@code slices} that are wanted. */
  static RankSet of(int slices, IntPredicate wanted) {
    return new RankSet(List.of(new Run(0, slices))).filter(wanted);
  }

  RankSet filter(IntPredicate wanted) {
    List<Run> kept = new ArrayList<>();
    for (Run run : runs) {
      int from = -1;
      for (int rank = run.from(); rank < run.to(); rank++) {
        if (!wanted.test(rank)) {
          from = close(from, rank, kept);
        } else if (from < 0) {
          from = rank;
        }
      }
      close(from, run.to(), kept);
    }
    return new RankSet(kept);
  }

  private static int close(int from, int to, List<Run> runs) {
    if (from >= 0) {
      runs.add(new Run(from, to));
    }
    return -1;
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  int count() {
    return runs.stream().mapToInt(Run::count).sum();
  }

  int first() {
    return runs.get(0).from();
  }

  /** One past the last. */
  int end() {
    return runs.get(runs.size() - 1).to();
  }

  boolean contains(int rank) {
    return runs.stream().anyMatch(run -> rank >= run.from() && rank < run.to());
  }

  /** The first {@code count} of them, or all if there are fewer. */
  RankSet head(int count) {
    List<Run> kept = new ArrayList<>();
    int left = count;
    for (Run run : runs) {
      if (left > 0) {
        kept.add(new Run(run.from(), run.from() + Math.min(left, run.count())));
        left -= run.count();
      }
    }
    return new RankSet(kept);
  }

  /** In ascending order. */
  int[] toArray() {
    int[] ranks = new int[count()];
    int i = 0;
    for (Run run : runs) {
      for (int rank = run.from(); rank < run.to(); rank++) {
        ranks[i++] = rank;
      }
    }
    return ranks;
  }
}
