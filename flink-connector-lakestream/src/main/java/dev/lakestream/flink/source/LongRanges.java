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

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A set of numbers as ranges.
 *
 * @param ranges ascending, with gaps between them
 */
public record LongRanges(List<Range> ranges) implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Every number. */
  public static final LongRanges ALL = between(Long.MIN_VALUE, Long.MAX_VALUE);

  /** Both inclusive. */
  public record Range(long min, long max) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  public LongRanges {
    ranges = new ArrayList<>(ranges);
    for (int i = 1; i < ranges.size(); i++) {
      if (ranges.get(i).min() <= ranges.get(i - 1).max()) {
        throw new IllegalArgumentException("Ranges out of order: " + ranges + ".");
      }
    }
  }

  /** Both inclusive; none if {@code min} is the greater one. */
  public static LongRanges between(long min, long max) {
    return new LongRanges(min > max ? List.of() : List.of(new Range(min, max)));
  }

  /** All but one. */
  public static LongRanges allBut(long number) {
    LongRanges below =
        number == Long.MIN_VALUE ? new LongRanges(List.of()) : between(Long.MIN_VALUE, number - 1);
    return number == Long.MAX_VALUE ? below : below.or(between(number + 1, Long.MAX_VALUE));
  }

  /** What is in both. */
  public LongRanges and(LongRanges other) {
    List<Range> both = new ArrayList<>();
    for (Range a : ranges) {
      for (Range b : other.ranges) {
        long min = Math.max(a.min, b.min);
        long max = Math.min(a.max, b.max);
        if (min <= max) {
          both.add(new Range(min, max));
        }
      }
    }
    return new LongRanges(both);
  }

  /** What is in either. */
  public LongRanges or(LongRanges other) {
    List<Range> all = new ArrayList<>(ranges);
    all.addAll(other.ranges);
    all.sort(Comparator.comparingLong(Range::min));
    List<Range> merged = new ArrayList<>();
    for (Range next : all) {
      Range last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last != null && (last.max == Long.MAX_VALUE || next.min <= last.max + 1)) {
        merged.set(merged.size() - 1, new Range(last.min, Math.max(last.max, next.max)));
      } else {
        merged.add(next);
      }
    }
    return new LongRanges(merged);
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  public boolean contains(long number) {
    return ranges.stream().anyMatch(range -> number >= range.min && number <= range.max);
  }

  /** What of it lies from {@code from} to below {@code to}. */
  public LongRanges within(long from, long to) {
    return from >= to ? new LongRanges(List.of()) : and(between(from, to - 1));
  }

  /** The least number; there must be one. */
  public long min() {
    return ranges.get(0).min;
  }

  /** The greatest number; there must be one. */
  public long max() {
    return ranges.get(ranges.size() - 1).max;
  }

  /** How many numbers there are; meant for few. */
  public long count() {
    return ranges.stream().mapToLong(range -> range.max - range.min + 1).sum();
  }
}
