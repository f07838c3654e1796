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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What turns one manifest into the next. It is the last message in a manifest object, so that who
 * stands at the parent needs one short suffix read.
 *
 * @param appended those of the new bundles that are in the tail
 * @param sealed the new root; empty: unchanged, or gone when {@code sealedChanged}
 * @param tailFirstStep the parent's tail below it has left the tail
 * @param producers new or changed ones
 * @param retiredProducers ids that are gone
 */
record ManifestDelta(
    long version,
    UUID commitId,
    UUID parentCommitId,
    long createdAt,
    long firstStep,
    long firstRow,
    long nextStep,
    long nextRow,
    List<BundleDescriptor> appended,
    boolean sealedChanged,
    Optional<SegmentRef> sealed,
    long tailFirstStep,
    List<ProducerEntry> producers,
    List<String> retiredProducers,
    long totalRecords,
    long totalRawBytes,
    String operation) {

  ManifestDelta {
    appended = List.copyOf(appended);
    producers = List.copyOf(producers);
    retiredProducers = List.copyOf(retiredProducers);
  }

  /** The difference between a manifest and its parent. */
  static ManifestDelta between(Manifest parent, Manifest child) {
    long parentEnd = parent.nextStep();
    return new ManifestDelta(
        child.version(),
        child.commitId(),
        parent.commitId(),
        child.createdAt(),
        child.firstStep(),
        child.firstRow(),
        child.nextStep(),
        child.nextRow(),
        child.tail().stream().filter(bundle -> bundle.firstStep() >= parentEnd).toList(),
        !child.sealed().equals(parent.sealed()),
        child.sealed().equals(parent.sealed()) ? Optional.empty() : child.sealed(),
        child.tailFirstStep(),
        child.producers().stream().filter(entry -> !parent.producers().contains(entry)).toList(),
        parent.producers().stream()
            .map(ProducerEntry::producerId)
            .filter(id -> child.producer(id).isEmpty())
            .toList(),
        child.totalRecords(),
        child.totalRawBytes(),
        child.operation());
  }

  /**
   * The manifest that this delta makes of its parent.
   *
   * @throws CorruptObjectException if the result would have a hole
   */
  Manifest applyTo(Manifest parent) {
    List<BundleDescriptor> tail = new ArrayList<>();
    for (BundleDescriptor bundle : parent.tail()) {
      if (bundle.firstStep() >= tailFirstStep) {
        tail.add(bundle);
      }
    }
    tail.addAll(appended);
    Map<String, ProducerEntry> entries = new TreeMap<>();
    parent.producers().forEach(entry -> entries.put(entry.producerId(), entry));
    producers.forEach(entry -> entries.put(entry.producerId(), entry));
    retiredProducers.forEach(entries::remove);
    Manifest child =
        new Manifest(
            parent.streamId(),
            version,
            commitId,
            Optional.of(parentCommitId),
            createdAt,
            firstStep,
            firstRow,
            nextStep,
            nextRow,
            sealedChanged ? sealed : parent.sealed(),
            tail,
            List.copyOf(entries.values()),
            totalRecords,
            totalRawBytes,
            operation);
    return ManifestRules.checked(child, "the delta of manifest " + version);
  }
}
