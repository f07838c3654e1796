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

import dev.lakestream.batch.StagedBundle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The manifest that is to follow another: everything of the base stays, except for what is said
 * here (union merge: nobody else's entries change).
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>The base is what this is built on and nothing newer: it is thrown away with its base when
 *       another wins the number, and made anew by the same transaction. So what is decided here
 *       (steps, rows, sequences) is never carried from one base to another.
 *   <li>Segments that are written by {@link #build} for a commit that loses stay behind. They carry
 *       the number that they were written for, by which reclamation tells.
 *   <li>The delta can add to the tail and drop from it, and not change it. A change is therefore
 *       sealed; whoever only follows deltas reads it from there.
 *   <li>The result is checked when it is read, like any other ({@link ManifestRules}), not here.
 * </ul>
 */
public final class NextManifest {

  private final Manifest base;
  private final List<BundleDescriptor> appended = new ArrayList<>();
  private final Map<String, ProducerEntry> producers = new TreeMap<>();
  private final NavigableMap<Long, BundleDescriptor> replaced = new TreeMap<>();
  private final String operation;
  private long firstStep;
  private long firstRow;
  private long nextStep;
  private long nextRow;
  private long records;
  private long rawBytes;

  /**
   * @param operation what this commit does, for people: one word
   * @throws StreamDroppedException if nothing may follow
   */
  public NextManifest(Manifest base, String operation) {
    if (base.dropped()) {
      throw StreamDroppedException.endedBy(base, "its address");
    }
    this.base = base;
    this.operation = operation;
    this.firstStep = base.firstStep();
    this.firstRow = base.firstRow();
    this.nextStep = base.nextStep();
    this.nextRow = base.nextRow();
    this.records = base.totalRecords();
    this.rawBytes = base.totalRawBytes();
    base.producers().forEach(entry -> producers.put(entry.producerId(), entry));
  }

  public Manifest base() {
    return base;
  }

  /** The step that the next appended bundle begins with. */
  public long nextStep() {
    return nextStep;
  }

  public NextManifest append(StagedBundle bundle, String producerId, long sequence) {
    appended.add(new BundleDescriptor(bundle, nextStep, nextRow, producerId, sequence));
    nextStep = Math.addExact(nextStep, bundle.tgbCount());
    nextRow = Math.addExact(nextRow, bundle.rows());
    records = Math.addExact(records, bundle.records());
    rawBytes = Math.addExact(rawBytes, bundle.rawBytes());
    return this;
  }

  /** Adds the entry, or replaces the one of the same producer. */
  public NextManifest producer(ProducerEntry entry) {
    producers.put(entry.producerId(), entry);
    return this;
  }

  public NextManifest retire(String producerId) {
    producers.remove(producerId);
    return this;
  }

  /**
   * Gives up the steps below {@code step}.
   *
   * @param row at which {@code step} begins
   */
  public NextManifest trim(long step, long row) {
    if (step < firstStep || step > nextStep) {
      throw new IllegalArgumentException(
          "Cannot trim to step "
              + step
              + ": the stream holds "
              + firstStep
              + " to "
              + nextStep
              + ".");
    }
    firstStep = step;
    firstRow = row;
    return this;
  }

  /**
   * Shows another object for the steps of a bundle that the base leads to ({@link
   * BundleDescriptor#redacted}).
   */
  public NextManifest replace(BundleDescriptor bundle) {
    replaced.put(bundle.firstStep(), bundle);
    return this;
  }

  /**
   * The manifest, and, when its tail would pass its bound, the segments it refers to, which are
   * then in the store.
   *
   * @param now by the wall clock
   */
  Manifest build(UUID commitId, long now, Segments segments) {
    List<BundleDescriptor> tail = new ArrayList<>(base.tail());
    tail.replaceAll(bundle -> replaced.getOrDefault(bundle.firstStep(), bundle));
    long createdAt = Math.max(base.createdAt(), now);
    appended.forEach(bundle -> tail.add(bundle.publishedIn(base.version() + 1, createdAt)));
    Optional<SegmentRef> sealed = base.sealed();
    if (sealed.isPresent() && !replaced.isEmpty()) {
      sealed = Optional.of(segments.replace(sealed.get(), replaced, base.version() + 1));
    }
    // A delta can add to the tail and drop from it, but not change it: what was replaced is sealed.
    boolean tailReplaced = !replaced.tailMap(base.tailFirstStep(), true).isEmpty();
    // The object holds what is appended twice, in the tail and in the delta.
    boolean full =
        tail.size() > TrainingStream.MAX_TAIL
            || tail.size() + appended.size() > TrainingStream.MAX_TAIL + 1;
    if (tailReplaced || full) {
      int kept = tailReplaced ? 0 : TrainingStream.KEPT_TAIL;
      List<BundleDescriptor> old = tail.subList(0, tail.size() - kept);
      sealed =
          Optional.of(segments.append(sealed, List.copyOf(old), base.version() + 1, firstStep));
      old.clear();
    }
    if (sealed.isPresent() && sealed.get().nextStep() <= firstStep) {
      sealed = Optional.empty();
    }
    if (sealed.isEmpty()) {
      tail.removeIf(bundle -> bundle.nextStep() <= firstStep);
    }
    return new Manifest(
        base.streamId(),
        base.version() + 1,
        commitId,
        Optional.of(base.commitId()),
        createdAt,
        firstStep,
        firstRow,
        nextStep,
        nextRow,
        sealed,
        tail,
        List.copyOf(producers.values()),
        records,
        rawBytes,
        operation);
  }
}
