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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.Bundles;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.ProducerEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The stream of an {@link OwnershipSchedule}, as far as one producer sees it: what was published,
 * which objects there are, and what must never be true of them.
 */
final class OwnedStream {

  private static final List<StagedBundle> ANY_BUNDLE = List.of(Bundles.of(new UUID(0, 0), 1));

  private final OnRewind onRewind;
  private final Set<String> violations = new TreeSet<>();
  private final List<Committable> published = new ArrayList<>();
  private final Set<Long> publishedIds = new HashSet<>();
  private final Map<Long, Opened> objects = new HashMap<>();
  private final Set<Long> referenced = new HashSet<>();
  private final Set<Long> deleted = new HashSet<>();
  private Optional<ProducerEntry> entry = Optional.empty();
  private long version;

  OwnedStream(OnRewind onRewind) {
    this.onRewind = onRewind;
  }

  /** What a checkpoint holds that is yet to be published: the records of a range, as objects. */
  record Committable(
      long id, UUID lineage, UUID takenBy, long sequence, long from, long to, List<Long> objects) {}

  /** An object's name tells its owner and the checkpoint after which it was opened. */
  private record Opened(UUID owner, long after) {}

  enum Outcome {
    DONE,
    FENCED,
    MISSING
  }

  Optional<ProducerEntry> entry() {
    return entry;
  }

  /** A claim was granted. */
  void takeOver(ProducerEntry taken) {
    entry = Optional.of(taken);
  }

  boolean isOwnedBy(UUID owner) {
    return entry.orElseThrow().currentOwner().id().equals(owner);
  }

  /** An object is written, under the name that its owner gives it. */
  void open(long object, UUID owner, long after) {
    objects.put(object, new Opened(owner, after));
  }

  Outcome commit(UUID owner, Committable work) {
    Publication publication =
        new Publication(
            "p",
            owner,
            work.lineage,
            work.takenBy,
            work.sequence,
            ANY_BUNDLE,
            ByteString.EMPTY,
            true);
    Ownership.Permission permission = Ownership.permission(entry, publication);
    if (permission instanceof Ownership.NotOwner) {
      return Outcome.FENCED;
    }
    if (permission instanceof Ownership.Already) {
      if (!publishedIds.contains(work.id)) {
        violations.add("skipped though it was never published");
      }
      return Outcome.DONE;
    }
    if (work.objects.stream().anyMatch(deleted::contains)) {
      // With "append", a restore may reach back further than garbage is kept: a loud error.
      if (onRewind == OnRewind.FAIL) {
        violations.add("an object that was needed had been deleted");
      }
      return Outcome.MISSING;
    }
    Lineage lineage = ((Ownership.Append) permission).lineage();
    version++;
    entry =
        Optional.of(
            entry
                .orElseThrow()
                .withLineage(
                    new Lineage(
                        lineage.id(),
                        work.sequence,
                        Optional.of(owner),
                        version,
                        ByteString.EMPTY,
                        version),
                    version));
    published.add(work);
    publishedIds.add(work.id);
    referenced.addAll(work.objects);
    return Outcome.DONE;
  }

  /** Deletes what DESIGN section 4.2 proves to be garbage. */
  void collectGarbage() {
    for (Iterator<Map.Entry<Long, Opened>> i = objects.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Long, Opened> object = i.next();
      boolean passed =
          lineageOf(object.getValue().owner)
              .filter(lineage -> lineage.sequence() > object.getValue().after)
              .isPresent();
      if (passed && !referenced.contains(object.getKey())) {
        deleted.add(object.getKey());
        i.remove();
      }
    }
  }

  private Optional<Lineage> lineageOf(UUID owner) {
    return entry.flatMap(
        known ->
            known.owners().stream()
                .filter(candidate -> candidate.id().equals(owner))
                .findFirst()
                .flatMap(candidate -> known.lineage(candidate.lineage())));
  }

  /** The lineage, or with "append" any, holds all records up to {@code offset}. */
  void checkCovered(UUID lineage, long offset) {
    for (long record = 0; record < offset; record++) {
      long wanted = record;
      boolean there =
          published.stream()
              .filter(work -> onRewind == OnRewind.APPEND || work.lineage.equals(lineage))
              .anyMatch(work -> work.from <= wanted && wanted < work.to);
      if (!there) {
        violations.add("lost");
      }
    }
  }

  void checkPublished() {
    Map<UUID, Set<Long>> seen = new HashMap<>();
    for (Committable work : published) {
      Set<Long> records = seen.computeIfAbsent(work.lineage, lineage -> new HashSet<>());
      for (long record = work.from; record < work.to; record++) {
        if (!records.add(record) && onRewind == OnRewind.FAIL) {
          violations.add("doubled");
        }
      }
      if (work.objects.stream().anyMatch(deleted::contains)) {
        violations.add("published and deleted");
      }
    }
  }

  Set<String> violations() {
    return violations;
  }
}
