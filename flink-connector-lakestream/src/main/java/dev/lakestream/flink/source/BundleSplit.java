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

import dev.lakestream.manifest.BundleDescriptor;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A part of a bundle that is to be read: some ranks of some consecutive TGBs, from a record on.
 *
 * <p>It is read TGB by TGB, in each TGB rank by rank. So a split that was read in part can still be
 * cut between ranks, and each half knows where it stands.
 *
 * @param ranks not empty
 * @param toTgb the first TGB that is not read, counted within the bundle
 * @param next the first record that has not been emitted
 */
public record BundleSplit(BundleDescriptor bundle, RankSet ranks, int toTgb, SlicePosition next)
    implements SourceSplit {

  public BundleSplit {
    if (ranks.isEmpty()
        || ranks.end() > bundle.bundle().mesh().slices()
        || next.tgb() < 0
        || next.tgb() >= toTgb
        || toTgb > bundle.bundle().tgbCount()
        || !ranks.contains(next.rank())
        || next.record() < 0) {
      throw new IllegalArgumentException(
          "No split of "
              + bundle.bundle().object()
              + " reads ranks "
              + ranks.runs()
              + " from "
              + next
              + " to batch "
              + toTgb
              + ".");
    }
  }

  /** TGBs {@code fromTgb} to {@code toTgb}, exclusive, of some ranks of the bundle. */
  static BundleSplit of(BundleDescriptor bundle, RankSet ranks, int fromTgb, int toTgb) {
    return new BundleSplit(bundle, ranks, toTgb, new SlicePosition(fromTgb, ranks.first(), 0));
  }

  /** Unlike that of any other split that is alive: those of one bundle have no rank in common. */
  @Override
  public String splitId() {
    return bundle.firstStep() + "/" + ranks.first();
  }

  /** The first step that has records to be emitted. */
  long nextStep() {
    return bundle.firstStep() + next.tgb();
  }

  /** The part of it that falls to some of its ranks; empty if they have been read to their end. */
  Optional<BundleSplit> restrictedTo(IntPredicate wanted) {
    RankSet kept = ranks.filter(wanted);
    if (kept.isEmpty()) {
      return Optional.empty();
    }
    for (int rank : kept.toArray()) {
      if (rank >= next.rank()) {
        long record = rank == next.rank() ? next.record() : 0;
        return Optional.of(
            new BundleSplit(bundle, kept, toTgb, new SlicePosition(next.tgb(), rank, record)));
      }
    }
    return next.tgb() + 1 == toTgb
        ? Optional.empty()
        : Optional.of(of(bundle, kept, next.tgb() + 1, toTgb));
  }

  BundleSplit at(SlicePosition position) {
    return new BundleSplit(bundle, ranks, toTgb, position);
  }

  /** What is left of it from this step on; empty: nothing. */
  Optional<BundleSplit> fromStep(long step) {
    if (step <= nextStep()) {
      return Optional.of(this);
    }
    long tgb = step - bundle.firstStep();
    return tgb >= toTgb ? Optional.empty() : Optional.of(of(bundle, ranks, (int) tgb, toTgb));
  }

  /** What is left of it below this step; empty: nothing. */
  Optional<BundleSplit> beforeStep(long step) {
    if (step >= bundle.firstStep() + toTgb) {
      return Optional.of(this);
    }
    int stop = (int) Math.max(0, step - bundle.firstStep());
    return next.tgb() >= stop
        ? Optional.empty()
        : Optional.of(new BundleSplit(bundle, ranks, stop, next));
  }

  /** About so many bytes are to be fetched, were all slices of the bundle of the same size. */
  long estimatedBytes() {
    return (long) (bundle.bundle().objectLength() * share());
  }

  /** About so many records are to be emitted, were all slices of the bundle of the same size. */
  long estimatedRecords() {
    return Math.round(bundle.bundle().records() * share());
  }

  private double share() {
    double tgbs = (toTgb - next.tgb()) / (double) bundle.bundle().tgbCount();
    return tgbs * ranks.count() / bundle.bundle().mesh().slices();
  }

  @Override
  public String toString() {
    return "steps "
        + nextStep()
        + " to "
        + (bundle.firstStep() + toTgb - 1)
        + ", ranks "
        + ranks.runs()
        + ", from "
        + next;
  }
}
