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
package dev.lakestream.commit;

import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Owner;
import dev.lakestream.manifest.ProducerEntry;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Who owns a producer and what it may publish (DESIGN section 4.2), as pure functions of the
 * producer's entry in the base of a commit. They are asked again on every attempt, because the base
 * changes.
 *
 * <p>Assumptions: an owner id is never used by two submissions; a checkpoint id grows within a
 * lineage; what a submission restored is covered by the stream up to the sequence that its lineage
 * has reached, as long as no other branch has published in it since.
 */
final class Ownership {

  private Ownership() {}

  /** What a claim comes to. */
  sealed interface Verdict {}

  /** The claimant owns the producer already. */
  record Held(Lineage lineage) implements Verdict {}

  /**
   * The claimant is to take over, with this entry.
   *
   * @param rewound whether it begins a new lineage because the old one has gone past its checkpoint
   */
  record Take(ProducerEntry entry, boolean rewound) implements Verdict {}

  /** Another submission took over from the claimant: it must stop for good. */
  record Fenced(Owner by) implements Verdict {}

  /**
   * The stream already holds what this start would produce again.
   *
   * @param lineage as the stream has it; empty: the stream does not know it (any more)
   */
  record Rewound(Optional<Lineage> lineage, String why) implements Verdict {}

  /**
   * @param newLineage gives the id of a lineage that must not be the owner's first
   */
  static Verdict claim(
      Optional<ProducerEntry> known,
      Claim claim,
      OnRewind onRewind,
      long now,
      Supplier<UUID> newLineage) {
    Verdict verdict =
        known.isEmpty() ? unknownProducer(claim, now) : knownProducer(known.get(), claim, now);
    if (verdict instanceof Rewound && onRewind == OnRewind.APPEND) {
      // Its own id names a lineage once: of one that it began before, the entry may know no more.
      boolean first =
          known.isEmpty()
              || known.get().orderOf(claim.owner()) < 0
                  && known.get().lineage(claim.owner()).isEmpty();
      UUID lineage = first ? claim.owner() : newLineage.get();
      return new Take(entry(known, claim, lineage, now), true);
    }
    return verdict;
  }

  private static Verdict unknownProducer(Claim claim, long now) {
    if (claim.start() instanceof Claim.Restored) {
      return new Rewound(
          Optional.empty(),
          "the stream has no entry of this producer: it was retired, or never wrote here");
    }
    return new Take(entry(Optional.empty(), claim, claim.owner(), now), false);
  }

  private static Verdict knownProducer(ProducerEntry entry, Claim claim, long now) {
    if (entry.currentOwner().id().equals(claim.owner())) {
      return ownRestart(entry.currentLineage(), claim.start());
    }
    if (entry.orderOf(claim.owner()) >= 0 || tookItsOwnCheckpoint(claim)) {
      return new Fenced(entry.currentOwner());
    }
    if (claim.start() instanceof Claim.Resume) {
      return new Take(entry(Optional.of(entry), claim, entry.currentOwner().lineage(), now), false);
    }
    if (claim.start() instanceof Claim.Restored restored) {
      return restoredElsewhere(entry, claim, restored, now);
    }
    return new Take(entry(Optional.of(entry), claim, claim.owner(), now), false);
  }

  /**
   * A claimant that has owned the producer before and is not in the list any more is no newcomer.
   */
  private static boolean tookItsOwnCheckpoint(Claim claim) {
    return claim.start() instanceof Claim.Restored restored
        && restored.takenBy().equals(claim.owner());
  }

  private static Verdict ownRestart(Lineage lineage, Claim.Start start) {
    if (start instanceof Claim.Batch || start instanceof Claim.Resume) {
      return new Held(lineage);
    }
    long restored = start instanceof Claim.Restored state ? state.sequence() : 0;
    return lineage.sequence() <= restored
        ? new Held(lineage)
        : new Rewound(
            Optional.of(lineage), "this job itself has published past the state that it restored");
  }

  private static Verdict restoredElsewhere(
      ProducerEntry entry, Claim claim, Claim.Restored restored, long now) {
    Optional<Lineage> lineage = entry.lineage(restored.lineage());
    if (lineage.isEmpty()) {
      return new Rewound(
          lineage, "the stream does not know the lineage of the restored state (any more)");
    }
    if (lineage.get().sequence() > restored.sequence()) {
      return new Rewound(lineage, "the stream already holds what came after the restored state");
    }
    if (isOtherBranch(entry, lineage.get(), restored.takenBy())) {
      return new Rewound(
          lineage, "another job that restored the same or an earlier state has published since");
    }
    return new Take(entry(Optional.of(entry), claim, restored.lineage(), now), false);
  }

  /**
   * Whether an owner that came after {@code takenBy} has published in the lineage. Of an owner that
   * is forgotten, or that never was, nobody knows when it came.
   */
  private static boolean isOtherBranch(ProducerEntry entry, Lineage lineage, UUID takenBy) {
    if (lineage.publishedBy().isEmpty() || lineage.publishedBy().get().equals(takenBy)) {
      return false;
    }
    int taker = entry.orderOf(takenBy);
    return taker < 0 || entry.orderOf(lineage.publishedBy().get()) > taker;
  }

  private static ProducerEntry entry(
      Optional<ProducerEntry> known, Claim claim, UUID lineage, long now) {
    Owner owner = new Owner(claim.owner(), lineage, claim.jobName(), now);
    return known
        .map(entry -> entry.withOwner(owner, now))
        .orElseGet(() -> ProducerEntry.of(claim.producerId(), owner, now));
  }

  /** What the owner may do with a publication. */
  sealed interface Permission {}

  /** Publish it, in this lineage. */
  record Append(Lineage lineage) implements Permission {}

  /** The stream has it: skip. */
  record Already(Lineage lineage) implements Permission {}

  /** The publisher does not own the producer. */
  record NotOwner(Optional<Owner> owner) implements Permission {}

  static Permission permission(Optional<ProducerEntry> known, Publication publication) {
    if (known.isEmpty() || !known.get().currentOwner().id().equals(publication.owner())) {
      return new NotOwner(known.map(ProducerEntry::currentOwner));
    }
    ProducerEntry entry = known.get();
    Lineage mine = entry.currentLineage();
    if (publication.sequence() <= mine.sequence()) {
      return new Already(mine);
    }
    if (!publication.lineage().equals(mine.id())) {
      // Restored before this owner rewound and began a lineage of its own. What the old lineage has
      // reached is in the
      // stream, unless another branch reached it: then nobody knows, and "append" says to write it
      // again.
      Optional<Lineage> old = entry.lineage(publication.lineage());
      if (old.isPresent()
          && publication.sequence() <= old.get().sequence()
          && !isOtherBranch(entry, old.get(), publication.takenBy())) {
        return new Already(old.get());
      }
    }
    return new Append(mine);
  }
}
