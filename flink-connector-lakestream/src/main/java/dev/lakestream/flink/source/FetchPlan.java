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

import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleScan;
import java.util.ArrayList;
import java.util.List;

/**
 * In which parts a split is fetched: as few as memory allows, in the order in which it is read.
 * Pure arithmetic.
 */
final class FetchPlan {

  /** So many bytes may be read for nothing to spare a request. */
  private static final long BYTES_FOR_A_REQUEST = 256 << 10;

  private FetchPlan() {}

  /**
   * Some ranks of some TGBs of the split.
   *
   * @param fromTgb counted within the bundle
   * @param toTgb exclusive
   * @param wholeSections whether the sections are read whole, neighbours together; otherwise their
   *     tables first, and then what is wanted of each
   * @param bytes to be fetched
   */
  record Part(RankSet ranks, int fromTgb, int toTgb, boolean wholeSections, long bytes) {}

  /** Whether one request for the object, footer included, is the way to read the split. */
  static boolean wholeBundle(BundleSplit split, long objectLength, long most) {
    int tgbs = split.bundle().bundle().tgbCount();
    int slices = split.bundle().bundle().mesh().slices();
    return split.ranks().count() == slices
        && objectLength <= most
        && worthwhile(split, slices, 1, objectLength, tgbs);
  }

  /**
   * @param most bytes of a part; a single slice may exceed it
   */
  static List<Part> of(BundleSplit split, BundleIndex index, long most) {
    RankSet ranks = split.ranks();
    int tgbs = split.bundle().bundle().tgbCount();
    int from = split.next().tgb();
    int to = split.toTgb();
    long sections = sectionBytes(index, ranks);
    if (worthwhile(split, ranks.count(), ranks.runs().size(), sections, tgbs)) {
      if (sections <= most) {
        return List.of(new Part(ranks, from, to, true, sections));
      }
      if (to - from == 1 && tgbs == 1) {
        return betweenRanks(index, ranks, most);
      }
    }
    return betweenTgbs(ranks, from, to, sections / tgbs + 1, most);
  }

  /** Sections hold all TGBs of the bundle: how much of them would be read for nothing? */
  private static boolean worthwhile(
      BundleSplit split, int ranks, int requests, long sectionBytes, int tgbs) {
    long wanted = split.toTgb() - (long) split.next().tgb();
    long wasted = sectionBytes / tgbs * (tgbs - wanted);
    return wasted <= (2L * ranks - requests) * BYTES_FOR_A_REQUEST
        && (wanted == tgbs || wasted < sectionBytes / 2);
  }

  private static long sectionBytes(BundleIndex index, RankSet ranks) {
    return ranks.runs().stream()
        .mapToLong(run -> BundleScan.length(index, run.from(), run.to()))
        .sum();
  }

  /** One TGB, some ranks at a time. */
  private static List<Part> betweenRanks(BundleIndex index, RankSet ranks, long most) {
    List<Part> parts = new ArrayList<>();
    int[] all = ranks.toArray();
    int begin = 0;
    long bytes = 0;
    for (int i = 0; i < all.length; i++) {
      long length = BundleScan.length(index, all[i], all[i] + 1);
      if (i > begin && bytes + length > most) {
        parts.add(new Part(between(ranks, all[begin], all[i]), 0, 1, true, bytes));
        begin = i;
        bytes = 0;
      }
      bytes += length;
    }
    parts.add(new Part(between(ranks, all[begin], ranks.end()), 0, 1, true, bytes));
    return parts;
  }

  /** Some TGBs at a time, or even of one TGB some ranks at a time. */
  private static List<Part> betweenTgbs(RankSet ranks, int from, int to, long tgbBytes, long most) {
    List<Part> parts = new ArrayList<>();
    if (tgbBytes <= most) {
      int step = (int) Math.min(to - from, most / tgbBytes);
      for (int tgb = from; tgb < to; tgb += step) {
        int end = Math.min(to, tgb + step);
        parts.add(new Part(ranks, tgb, end, false, tgbBytes * (end - tgb)));
      }
      return parts;
    }
    int[] all = ranks.toArray();
    long sliceBytes = Math.max(1, tgbBytes / all.length);
    int step = (int) Math.max(1, Math.min(all.length, most / sliceBytes));
    for (int tgb = from; tgb < to; tgb++) {
      for (int i = 0; i < all.length; i += step) {
        int end = i + step < all.length ? all[i + step] : ranks.end();
        RankSet some = between(ranks, all[i], end);
        parts.add(new Part(some, tgb, tgb + 1, false, sliceBytes * some.count()));
      }
    }
    return parts;
  }

  private static RankSet between(RankSet ranks, int from, int to) {
    return ranks.filter(rank -> rank >= from && rank < to);
  }
}
