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
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ManifestLog;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Finding.Check;
import java.util.List;
import java.util.Optional;

/**
 * Goes from the head back to the oldest live manifest, two in memory at a time. The live ones are
 * the contiguous run that ends in the head, so the first number that is missing ends the walk; what
 * lies below it is for {@link ObjectAudit} to report.
 */
final class ManifestAudit {

  private final TrainingStream stream;
  private final ManifestLog log;
  private final Manifest head;
  private final Findings findings;
  private long seen;

  ManifestAudit(TrainingStream stream, Manifest head, Findings findings) {
    this.stream = stream;
    this.log = stream.log();
    this.head = head;
    this.findings = findings;
  }

  /** How many live manifests there are. */
  long manifests() {
    return seen;
  }

  /** Returns the lowest live version. */
  long run() {
    Optional<Manifest> child = read(head.version());
    seen = 1;
    for (long version = head.version() - 1; version >= 0; version--) {
      if (isRoot(child, version)) {
        return version + 1;
      }
      Optional<Manifest> parent;
      try {
        parent = log.at(version);
        if (parent.isEmpty()) {
          return version + 1;
        }
      } catch (CorruptObjectException | UnsupportedVersionException e) {
        report(version, e);
        parent = Optional.empty();
      }
      if (parent.isPresent() && child.isPresent() && !checkLink(parent.get(), child.get())) {
        return version + 1;
      }
      seen++;
      findings.progress(Check.MANIFESTS, seen, head.version() + 1);
      child = parent;
    }
    return 0;
  }

  /**
   * Whether the stream begins with {@code manifest}: what lies below it is left of another that was
   * dropped at the address.
   */
  private boolean isRoot(Optional<Manifest> manifest, long below) {
    if (manifest.isEmpty() || manifest.get().parentCommitId().isPresent()) {
      return false;
    }
    try {
      return log.at(below).isEmpty();
    } catch (StreamDroppedException foreign) {
      return true;
    } catch (CorruptObjectException | UnsupportedVersionException e) {
      return false;
    }
  }

  private Optional<Manifest> read(long version) {
    try {
      return log.at(version);
    } catch (CorruptObjectException | UnsupportedVersionException e) {
      report(version, e);
      return Optional.empty();
    }
  }

  private void report(long version, LakestreamException e) {
    findings.error(Check.MANIFESTS, StreamKeys.manifest(version), e.getMessage());
  }

  /** False: {@code parent} is not part of the stream, so that the walk ends. */
  private boolean checkLink(Manifest parent, Manifest child) {
    String key = StreamKeys.manifest(child.version());
    if (!child.parentCommitId().equals(Optional.of(parent.commitId()))) {
      return breaksTheChain(parent, child);
    }
    checkMonotone(parent, child, key);
    checkDelta(parent, child, key);
    checkSealed(parent, child, key);
    checkPublication(parent, child, key);
    return true;
  }

  /**
   * A manifest that the next one does not name as its parent: at the lower end of the run it was
   * left by a writer that slept while its number was reclaimed; above it, it was overwritten (I6).
   */
  private boolean breaksTheChain(Manifest parent, Manifest child) {
    String key = StreamKeys.manifest(parent.version());
    boolean linkedBelow =
        parent.version() > 0
            && read(parent.version() - 1)
                .filter(below -> parent.parentCommitId().equals(Optional.of(below.commitId())))
                .isPresent();
    if (!linkedBelow && parent.version() > 0) {
      findings.note(
          Check.MANIFESTS,
          key,
          "Manifest "
              + child.version()
              + " does not follow it: it is not part of the stream (a writer that slept made it).");
      return false;
    }
    findings.error(
        Check.MANIFESTS,
        key,
        "Its commit id is "
            + parent.commitId()
            + ", and manifest "
            + child.version()
            + " names "
            + child.parentCommitId().map(Object::toString).orElse("none")
            + " as its parent's: one of the two was overwritten, or the store let two writers create"
            + " one number.");
    return true;
  }

  private void checkMonotone(Manifest parent, Manifest child, String key) {
    requireNotLess("creation time", parent.createdAt(), child.createdAt(), key);
    requireNotLess("first step", parent.firstStep(), child.firstStep(), key);
    requireNotLess("first row", parent.firstRow(), child.firstRow(), key);
    requireNotLess("next step", parent.nextStep(), child.nextStep(), key);
    requireNotLess("next row", parent.nextRow(), child.nextRow(), key);
    requireNotLess("record count", parent.totalRecords(), child.totalRecords(), key);
    requireNotLess("byte count", parent.totalRawBytes(), child.totalRawBytes(), key);
  }

  private void requireNotLess(String what, long before, long after, String key) {
    if (after < before) {
      findings.error(
          Check.MANIFESTS, key, "Its " + what + " is " + after + ", its parent's " + before + ".");
    }
  }

  private void checkDelta(Manifest parent, Manifest child, String key) {
    try {
      if (!log.fromDelta(parent).equals(Optional.of(child))) {
        findings.error(
            Check.PREFIX,
            key,
            "Its delta makes another manifest of its parent than the one that it states: readers that"
                + " follow and readers that open see different streams.");
      }
    } catch (LakestreamException e) {
      findings.error(Check.PREFIX, key, "Its delta cannot be applied: " + e.getMessage());
    }
  }

  /** Bundles that left the tail must be in the segments, unchanged. */
  private void checkSealed(Manifest parent, Manifest child, String key) {
    long from = Math.max(parent.tailFirstStep(), Math.max(child.firstStep(), head.firstStep()));
    if (parent.sealed().equals(child.sealed()) || from >= parent.nextStep()) {
      return;
    }
    List<BundleDescriptor> before =
        parent.tail().stream().filter(bundle -> bundle.nextStep() > from).toList();
    try {
      List<BundleDescriptor> after = stream.history(child).bundles(from, before.size());
      boolean same = after.size() == before.size();
      for (int i = 0; same && i < before.size(); i++) {
        same = after.get(i).mayFollow(before.get(i));
      }
      if (!same) {
        findings.error(
            Check.PREFIX, key, "From step " + from + " on it shows other bundles than its parent.");
      }
    } catch (LakestreamException e) {
      findings.error(Check.PREFIX, key, "What its parent showed cannot be read: " + e.getMessage());
    }
  }

  private void checkPublication(Manifest parent, Manifest child, String key) {
    for (ProducerEntry entry : child.producers()) {
      Optional<ProducerEntry> before = parent.producer(entry.producerId());
      for (Lineage lineage : entry.lineages()) {
        long sequence =
            before.flatMap(known -> known.lineage(lineage.id())).map(Lineage::sequence).orElse(0L);
        boolean published = lineage.lastCommitVersion() == child.version();
        if (published ? lineage.sequence() <= sequence : lineage.sequence() < sequence) {
          findings.error(
              Check.PRODUCERS,
              key,
              "Producer \""
                  + entry.producerId()
                  + "\", lineage "
                  + lineage.id()
                  + ", goes from sequence "
                  + sequence
                  + " to "
                  + lineage.sequence()
                  + ".");
        }
      }
    }
    if (child.tailFirstStep() <= parent.nextStep()) {
      child.tail().stream()
          .filter(bundle -> bundle.firstStep() >= parent.nextStep())
          .filter(bundle -> !isPublishedBy(child, bundle))
          .forEach(
              bundle ->
                  findings.error(
                      Check.PRODUCERS,
                      key,
                      "It appends "
                          + bundle.bundle().object()
                          + " under sequence "
                          + bundle.sequence()
                          + " of producer \""
                          + bundle.producerId()
                          + "\", which its producer entries do not say."));
    }
  }

  private static boolean isPublishedBy(Manifest manifest, BundleDescriptor bundle) {
    return manifest
        .producer(bundle.producerId())
        .filter(
            entry ->
                entry.lineages().stream()
                    .anyMatch(
                        lineage ->
                            lineage.sequence() == bundle.sequence()
                                && lineage.lastCommitVersion() == manifest.version()))
        .isPresent();
  }
}
