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

import dev.lakestream.LakestreamException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.SegmentRef;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.retention.Finding.Check;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Visits every descriptor that the head leads to, in step order: dense in steps and rows, each
 * bundle once. Remembers the names as fingerprints, and what it holds of anything else does not
 * grow.
 */
final class HistoryAudit {

  private final History history;
  private final Manifest head;
  private final Findings findings;
  private final Consumer<BundleDescriptor> bundles;
  private final Fingerprints bundleNames = new Fingerprints();
  private final Fingerprints segmentNames = new Fingerprints();
  private long nextStep = -1;
  private long nextRow = -1;
  private long segments;
  private long seen;
  private long bytes;

  /**
   * @param bundles takes each bundle that holds any step that the stream still holds
   */
  HistoryAudit(History history, Findings findings, Consumer<BundleDescriptor> bundles) {
    this.history = history;
    this.head = history.manifest();
    this.findings = findings;
    this.bundles = bundles;
  }

  void run() {
    history.visitSegments(
        new History.SegmentVisitor() {
          @Override
          public void segment(
              SegmentRef ref, List<SegmentRef> children, List<BundleDescriptor> content) {
            segments++;
            segmentNames.add(ref.object());
            checkReference(ref, children, content);
            content.forEach(HistoryAudit.this::visit);
          }

          @Override
          public void unreadable(SegmentRef ref, LakestreamException why) {
            segmentNames.add(ref.object());
            findings.error(Check.SEGMENTS, ref.object(), why.getMessage());
            nextStep = ref.nextStep();
            nextRow = ref.nextRow();
          }
        });
    head.tail().forEach(this::visit);
    head.producers().forEach(this::checkNewest);
  }

  boolean isReferenced(String object) {
    return bundleNames.contains(object) || segmentNames.contains(object);
  }

  long segments() {
    return segments;
  }

  long bundles() {
    return seen;
  }

  /** Of the bundles, as described. */
  long bytes() {
    return bytes;
  }

  private void checkReference(
      SegmentRef ref, List<SegmentRef> children, List<BundleDescriptor> content) {
    checkSum(ref, "bundles", ref.bundles(), children, SegmentRef::bundles, content, bundle -> 1);
    checkSum(
        ref,
        "rows",
        ref.rowCount(),
        children,
        SegmentRef::rowCount,
        content,
        bundle -> bundle.bundle().rows());
    checkSum(
        ref,
        "records",
        ref.records(),
        children,
        SegmentRef::records,
        content,
        bundle -> bundle.bundle().records());
    checkSum(
        ref,
        "raw bytes",
        ref.rawBytes(),
        children,
        SegmentRef::rawBytes,
        content,
        bundle -> bundle.bundle().rawBytes());
  }

  private void checkSum(
      SegmentRef ref,
      String what,
      long stated,
      List<SegmentRef> children,
      ToLongFunction<SegmentRef> ofChild,
      List<BundleDescriptor> content,
      ToLongFunction<BundleDescriptor> ofBundle) {
    long held =
        children.stream().mapToLong(ofChild).sum() + content.stream().mapToLong(ofBundle).sum();
    if (held != stated) {
      findings.error(
          Check.SEGMENTS,
          ref.object(),
          "It holds " + held + " " + what + ", and what refers to it says " + stated + ".");
    }
  }

  private void visit(BundleDescriptor bundle) {
    String object = bundle.bundle().object();
    if (nextStep >= 0 && (bundle.firstStep() != nextStep || bundle.firstRow() != nextRow)) {
      findings.error(
          Check.DESCRIPTORS,
          object,
          "It begins at step "
              + bundle.firstStep()
              + ", row "
              + bundle.firstRow()
              + ", where step "
              + nextStep
              + ", row "
              + nextRow
              + " is next.");
    }
    nextStep = bundle.nextStep();
    nextRow = bundle.nextRow();
    if (!bundleNames.add(object)) {
      checkReferencedOnce(bundle);
    }
    if (bundle.nextStep() > head.firstStep()) {
      seen++;
      bytes += bundle.bundle().objectLength();
      bundles.accept(bundle);
    }
  }

  /** Looks for the reference that came first: two names may have one fingerprint. */
  private void checkReferencedOnce(BundleDescriptor again) {
    long step = head.firstStep();
    while (step < again.firstStep()) {
      for (BundleDescriptor bundle : history.bundles(step, 1000)) {
        if (bundle.bundle().object().equals(again.bundle().object())
            && bundle.firstStep() < again.firstStep()) {
          findings.error(
              Check.DESCRIPTORS,
              again.bundle().object(),
              "It is referenced twice: as step "
                  + bundle.firstStep()
                  + " and as step "
                  + again.firstStep()
                  + ".");
          return;
        }
        step = bundle.nextStep();
      }
    }
  }

  /** Where a lineage says that it published last, there must be a bundle that says so too. */
  private void checkNewest(ProducerEntry entry) {
    for (Lineage lineage : entry.lineages()) {
      long step = lineage.nextStep() - 1;
      if (lineage.sequence() == 0 || step < head.firstStep()) {
        continue;
      }
      try {
        if (history
            .bundleOf(step)
            .filter(bundle -> bundle.producerId().equals(entry.producerId()))
            .filter(bundle -> bundle.sequence() == lineage.sequence())
            .isEmpty()) {
          findings.error(
              Check.PRODUCERS,
              StreamKeys.manifest(head.version()),
              "Producer \""
                  + entry.producerId()
                  + "\", lineage "
                  + lineage.id()
                  + ", says that its sequence "
                  + lineage.sequence()
                  + " ends at step "
                  + step
                  + "; the bundle there says otherwise.");
        }
      } catch (LakestreamException unreadable) {
        // Its segment has been reported.
      }
    }
  }
}
