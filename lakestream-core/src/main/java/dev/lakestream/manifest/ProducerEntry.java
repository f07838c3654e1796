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
 * carried from each to the next until the producer is retired.
 *
 * @param owners in takeover order, at least one; the last one owns the producer, the others are
 *     fenced
 * @param lineages in order of birth
 * @param updatedAt by the manifests' own clock
 * @param forgottenOwners how many older owners are no longer in the list
 */
public record ProducerEntry(
    String producerId,
    List<Owner> owners,
    List<Lineage> lineages,
    long updatedAt,
    int forgottenOwners) {

  /**
   * Past this the oldest owner is forgotten. A restart of it is then refused for want of its
   * lineage.
   */
  public static final int MAX_OWNERS = 64;

  public ProducerEntry {
    owners = List.copyOf(owners);
    lineages = List.copyOf(lineages);
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

  /**
   * The place of the owner in takeover order; -1: unknown or forgotten, that is, before all that
   * are known.
   */
  public int orderOf(UUID ownerId) {
    for (int i = owners.size() - 1; i >= 0; i--) {
      if (owners.get(i).id().equals(ownerId)) {
        return i;
      }
    }
    return -1;
  }

  /** This entry after {@code owner} has taken over; its lineage is added if it is new. */
  public ProducerEntry withOwner(Owner owner, long now) {
    List<Owner> all = new ArrayList<>(owners);
    all.removeIf(known -> known.id().equals(owner.id()));
    all.add(owner);
    int dropped = Math.max(0, all.size() - MAX_OWNERS);
    List<Owner> kept = all.subList(dropped, all.size());
    List<Lineage> known = new ArrayList<>(lineages);
    if (lineage(owner.lineage()).isEmpty()) {
      known.add(Lineage.begin(owner.lineage()));
    }
    Set<UUID> referenced = kept.stream().map(Owner::lineage).collect(Collectors.toSet());
    known.removeIf(lineage -> !referenced.contains(lineage.id()));
    return new ProducerEntry(producerId, kept, known, now, forgottenOwners + dropped);
  }

  /** This entry with the lineage of the same id replaced. */
  public ProducerEntry withLineage(Lineage changed, long now) {
    List<Lineage> all =
        lineages.stream().map(known -> known.id().equals(changed.id()) ? changed : known).toList();
    return new ProducerEntry(producerId, owners, all, now, forgottenOwners);
  }
}
