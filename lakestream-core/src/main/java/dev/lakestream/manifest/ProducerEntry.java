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

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What every manifest keeps of one producer. It outlives the manifests that proved it: it is
 * carried from each to the next until the producer is retired. Every commit writes the entries of
 * all producers, so an entry is bounded, whatever its producer has been through: three owners,
 * three lineages, the marks of 29 older owners, and one position.
 *
 * <p>What may be dropped, and why that is safe:
 *
 * <ul>
 *   <li>An <b>owner</b> is kept to be recognised, so that it is fenced when it comes back; its mark
 *       serves that as well, and tells the order that the branch rule asks for. Bundles of an owner
 *       that is not kept whole go by age, and whoever restores them publishes copies.
 *   <li>An owner whose <b>mark</b> is gone too is refused by the checkpoint that it restores, which
 *       names it. Only one that restores nothing passes for a newcomer, after 32 others came.
 *   <li>Without its <b>lineage</b> a restored state is refused as a rewind. None that a kept owner
 *       writes in is dropped.
 *   <li>A <b>position</b> is read by the next start of a stand-alone producer, which goes on in the
 *       current lineage: the others need none. Nor does anybody need the <b>job name</b> of an
 *       owner that was taken over from.
 * </ul>
 *
 * @param owners in takeover order, at least one; the last one owns the producer, the others are
 *     fenced
 * @param lineages in order of birth
 * @param updatedAt by the manifests' own clock
 * @param forgotten the owners that were there before {@code owners}
 */
public record ProducerEntry(
    String producerId,
    List<Owner> owners,
    List<Lineage> lineages,
    long updatedAt,
    ForgottenOwners forgotten) {

  /** Past this the oldest owner leaves its mark only. */
  public static final int MAX_OWNERS = 3;

  /** Not less than {@link #MAX_OWNERS}, each of which may write in one of its own. */
  public static final int MAX_LINEAGES = 3;

  public ProducerEntry {
    owners = List.copyOf(owners);
    lineages = List.copyOf(lineages);
  }

  /** The entry of a producer that {@code owner} is the first to own. */
  public static ProducerEntry of(String producerId, Owner owner, long now) {
    return new ProducerEntry(producerId, List.of(), List.of(), now, ForgottenOwners.NONE)
        .withOwner(owner, now);
  }

  public Owner currentOwner() {
    return owners.get(owners.size() - 1);
  }

  /** The lineage in which the current owner writes. */
  public Lineage currentLineage() {
    return lineage(currentOwner().lineage()).orElseThrow();
  }

  public Optional<Lineage> lineage(UUID id) {
    return lineages.stream().filter(lineage -> lineage.id().equals(id)).findFirst();
  }

  /** How many owners there were before the current one. */
  public int previousOwners() {
    return owners.size() - 1 + forgotten.count();
  }

  /**
   * The place of the owner in takeover order; -1: unknown or forgotten without a mark, that is,
   * before all that are known.
   */
  public int orderOf(UUID ownerId) {
    for (int i = owners.size() - 1; i >= 0; i--) {
      if (owners.get(i).id().equals(ownerId)) {
        return forgotten.marked() + i;
      }
    }
    return forgotten.orderOf(ownerId);
  }

  /** This entry after {@code owner} has taken over; its lineage is added if it is new. */
  public ProducerEntry withOwner(Owner owner, long now) {
    List<Owner> all = new ArrayList<>();
    owners.stream()
        .filter(known -> !known.id().equals(owner.id()))
        .forEach(known -> all.add(known.fenced()));
    all.add(owner);
    ForgottenOwners left = forgotten;
    while (all.size() > MAX_OWNERS) {
      left = left.with(all.remove(0));
    }
    List<Lineage> known = new ArrayList<>();
    for (Lineage lineage : lineages) {
      known.add(lineage.id().equals(owner.lineage()) ? lineage : lineage.withoutPosition());
    }
    if (lineage(owner.lineage()).isEmpty()) {
      known.add(Lineage.begin(owner.lineage()));
    }
    Set<UUID> used = all.stream().map(Owner::lineage).collect(Collectors.toSet());
    for (int i = 0; known.size() > MAX_LINEAGES; ) {
      if (used.contains(known.get(i).id())) {
        i++;
      } else {
        known.remove(i);
      }
    }
    return new ProducerEntry(producerId, all, known, now, left);
  }

  /** This entry with the lineage of the same id replaced. */
  public ProducerEntry withLineage(Lineage changed, long now) {
    List<Lineage> all =
        lineages.stream().map(known -> known.id().equals(changed.id()) ? changed : known).toList();
    return new ProducerEntry(producerId, owners, all, now, forgotten);
  }
}
