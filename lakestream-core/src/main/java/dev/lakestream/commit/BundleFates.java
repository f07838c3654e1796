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

import dev.lakestream.batch.BundleName;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.Owner;
import dev.lakestream.manifest.ProducerEntry;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What may still become of a bundle that a manifest does not lead to, by its name and the producers
 * of that manifest (DESIGN section 4.2).
 *
 * <p>Both sides of reclamation stand on this one function: a bundle is deleted only if the newest
 * manifest says {@link Fate#PASSED} (or, after a long time, {@link Fate#UNKNOWN_OWNER}), and {@link
 * Publisher} refers to a bundle only on a base that says {@link Fate#PENDING}. Sequences never go
 * back, so what has passed at one manifest has passed at all later ones, however long whoever
 * deletes was asleep in between.
 */
public final class BundleFates {

  /** Of a bundle that is not referenced. */
  public enum Fate {
    /** It may be published: its lineage has not gone past the checkpoint in its name. */
    PENDING,
    /** It was left over, or published and trimmed: its lineage has gone past. */
    PASSED,
    /** No producer names its owner: not known yet, or not any more. */
    UNKNOWN_OWNER
  }

  private final Map<UUID, Long> sequences = new HashMap<>();

  public BundleFates(Manifest manifest) {
    for (ProducerEntry entry : manifest.producers()) {
      for (Owner owner : entry.owners()) {
        long sequence = entry.lineage(owner.lineage()).map(Lineage::sequence).orElse(0L);
        sequences.merge(owner.id(), sequence, Math::min);
      }
    }
  }

  public Fate of(BundleName name) {
    Long sequence = sequences.get(name.owner());
    if (sequence == null) {
      return Fate.UNKNOWN_OWNER;
    }
    return sequence > name.afterCheckpoint() ? Fate.PASSED : Fate.PENDING;
  }
}
