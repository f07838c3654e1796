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
package dev.lakestream.simulation;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleCheck;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.Owner;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Looks at a world when all is over, and compares the one true history, from manifest 0 to the
 * head, with the invariants and with what publishers and readers were told.
 */
final class Audit {

  private final World world;
  private final TrainingStream stream;
  private final Manifest head;
  private final List<Manifest> chain = new ArrayList<>();
  private final TreeMap<Long, BundleDescriptor> bundles = new TreeMap<>();
  private final Map<String, Long> versionOf = new HashMap<>();

  /** By first step and version: what stood there from then on. */
  private final Map<Long, TreeMap<Long, BundleDescriptor>> shown = new HashMap<>();

  private Audit(World world) {
    this.world = world;
    this.stream = TrainingStream.open(everything(world), world.sim);
    Map<UUID, Manifest> all = new HashMap<>();
    Manifest newest = null;
    for (byte[] object : world.manifests) {
      Manifest manifest = Chain.decode(object);
      all.put(manifest.commitId(), manifest);
      if (newest == null || manifest.version() > newest.version()) {
        newest = manifest;
      }
    }
    this.head = newest;
    for (Manifest at = newest; at != null; at = at.parentCommitId().map(all::get).orElse(null)) {
      chain.add(at);
    }
    Collections.reverse(chain);
  }

  /** What the store holds, and the segments that it no longer holds. */
  private static MemoryStore everything(World world) {
    MemoryStore all = new MemoryStore(world.memory.address(), world.sim);
    world.memory.keys().forEach(key -> copy(key, world.memory.bytes(key), all));
    world.oldSegments.forEach((key, content) -> copy(key, content, all));
    return all;
  }

  private static void copy(String key, byte[] content, MemoryStore to) {
    Futures.await(to.put(key, Payload.of(content)));
  }

  /** Adds what is wrong to the world's violations. */
  static void check(World world, Map<String, UUID> finished) {
    Audit audit = new Audit(world);
    audit.checkChain();
    audit.checkReports();
    audit.checkSightings();
    audit.checkFinished(finished);
    audit.checkDeletions();
    audit.checkReceived();
    audit.checkCopy();
  }

  private void require(boolean holds, String broken) {
    if (!holds) {
      world.violation(broken);
    }
  }

  /** I1, I2, I9, and ownership. */
  private void checkChain() {
    Manifest stored = stream.log().newest();
    require(
        stored.commitId().equals(head.commitId()),
        "I8: a newcomer finds manifest " + stored.version() + " instead of " + head.version());
    require(chain.get(0).version() == 0, "I1: the chain does not reach back to manifest 0");
    for (int i = 1; i < chain.size(); i++) {
      Manifest parent = chain.get(i - 1);
      Manifest child = chain.get(i);
      String where = " at manifest " + child.version();
      require(child.version() == parent.version() + 1, "I1: a hole in the numbers" + where);
      require(child.createdAt() >= parent.createdAt(), "I9: a stamp goes back" + where);
      require(child.firstStep() >= parent.firstStep(), "I1: the trim goes back" + where);
      if (child.operation().equals("takedown")) {
        replaceBundles(child, where);
      }
      addBundles(parent, child, where);
      checkProducers(parent, child, where);
    }
    List<BundleDescriptor> described =
        TrainingStream.open(world.memory, world.sim)
            .history(stored)
            .bundles(stored.firstStep(), Integer.MAX_VALUE);
    List<BundleDescriptor> expected =
        bundles.values().stream().filter(b -> b.nextStep() > stored.firstStep()).toList();
    require(described.equals(expected), "I3: the head does not describe what was published");
    for (BundleDescriptor bundle : bundles.values()) {
      String object = bundle.bundle().object();
      require(
          bundle.nextStep() <= head.firstStep() && world.schedule.reclaimers() > 0
              || world.memory.bytes(object) != null,
          "I4: missing: " + object);
    }
  }

  /** The one way in which what was published may change. */
  private void replaceBundles(Manifest child, String where) {
    for (BundleDescriptor bundle :
        stream.history(child).bundles(child.firstStep(), Integer.MAX_VALUE)) {
      BundleDescriptor before = bundles.get(bundle.firstStep());
      require(bundle.mayFollow(before), "I3: another bundle than was published" + where);
      if (!bundle.equals(before)) {
        show(bundle, child, where);
      }
    }
  }

  private void show(BundleDescriptor bundle, Manifest child, String where) {
    bundles.put(bundle.firstStep(), bundle);
    shown.computeIfAbsent(bundle.firstStep(), any -> new TreeMap<>()).put(child.version(), bundle);
    String object = bundle.bundle().object();
    require(
        versionOf.put(object, child.version()) == null, "I2: referenced twice: " + object + where);
  }

  private void addBundles(Manifest parent, Manifest child, String where) {
    long step = parent.nextStep();
    long row = parent.nextRow();
    for (BundleDescriptor bundle :
        stream.history(child).bundles(Math.max(child.firstStep(), step), Integer.MAX_VALUE)) {
      require(bundle.firstStep() == step, "I1: steps are not dense" + where);
      require(bundle.firstRow() == row, "I1: rows are not dense" + where);
      step = bundle.nextStep();
      row = bundle.nextRow();
      show(bundle, child, where);
    }
    require(step == child.nextStep(), "I1: steps are not dense" + where);
  }

  private void checkProducers(Manifest parent, Manifest child, String where) {
    Set<String> appended = new HashSet<>();
    bundles.tailMap(parent.nextStep(), true).values().stream()
        .map(BundleDescriptor::producerId)
        .forEach(appended::add);
    require(appended.size() <= 1, "I2: more than one producer" + where);
    for (ProducerEntry before : parent.producers()) {
      Optional<ProducerEntry> after = child.producer(before.producerId());
      require(
          after.isPresent() || before.producerId().startsWith("takedown/"),
          "an entry is lost" + where);
      if (after.isPresent()) {
        checkProducer(before, after.get(), appended.contains(before.producerId()), child, where);
      }
    }
    for (String producer : appended) {
      require(parent.producer(producer).isPresent(), "published without a takeover" + where);
    }
  }

  private void checkProducer(
      ProducerEntry before, ProducerEntry after, boolean appended, Manifest child, String where) {
    List<UUID> owners = before.owners().stream().map(Owner::id).toList();
    List<UUID> ownersAfter = after.owners().stream().map(Owner::id).toList();
    require(
        owners.equals(ownersAfter) || areFollowed(owners, ownersAfter),
        "owners are not in takeover order" + where);
    require(
        after.previousOwners() - before.previousOwners() == (owners.equals(ownersAfter) ? 0 : 1),
        "an owner is lost" + where);
    for (Lineage lineage : after.lineages()) {
      long was = before.lineage(lineage.id()).map(Lineage::sequence).orElse(0L);
      if (lineage.sequence() == was) {
        continue;
      }
      require(lineage.sequence() == was + 1, "I2: sequence " + was + " is not followed" + where);
      require(appended, "a sequence without bundles" + where);
      require(
          owners.equals(ownersAfter)
              && lineage.publishedBy().equals(Optional.of(before.currentOwner().id())),
          "published by a fenced owner" + where);
      require(lineage.lastCommitVersion() == child.version(), "a wrong version" + where);
      require(
          bundles.tailMap(child.nextStep(), false).isEmpty()
              && bundles.lastEntry().getValue().sequence() == lineage.sequence(),
          "bundles of another sequence" + where);
    }
    if (appended) {
      require(
          !after.currentLineage().equals(before.currentLineage()),
          "I2: bundles without a sequence" + where);
    }
  }

  /** By one more; those that no longer fit are the oldest. */
  private static boolean areFollowed(List<UUID> owners, List<UUID> after) {
    int kept = after.size() - 1;
    return after.size() == Math.min(ProducerEntry.MAX_OWNERS, owners.size() + 1)
        && after.subList(0, kept).equals(owners.subList(owners.size() - kept, owners.size()));
  }

  /** What a publisher was told to be in the stream is in it. */
  private void checkReports() {
    for (World.Report report : world.reports) {
      for (String object : report.objects()) {
        Long version = versionOf.get(object);
        require(
            version != null, "lost: sequence " + report.sequence() + " of " + report.producer());
        require(
            version == null || report.version() < 0 || version == report.version(),
            "published at " + version + " and not at " + report.version());
      }
    }
  }

  /** I4 and I8: nothing was deleted that the stream led to then, or led to later. */
  private void checkDeletions() {
    Map<UUID, Integer> place = new HashMap<>();
    for (int i = 0; i < world.manifests.size(); i++) {
      place.put(Chain.decode(world.manifests.get(i)).commitId(), i);
    }
    Map<String, BundleDescriptor> published = new HashMap<>();
    shown.values().stream()
        .flatMap(one -> one.values().stream())
        .forEach(bundle -> published.put(bundle.bundle().object(), bundle));
    for (World.Deleted deleted : world.deletions) {
      Manifest newest = chain.get(0);
      for (Manifest manifest : chain) {
        newest = place.get(manifest.commitId()) < deleted.manifests() ? manifest : newest;
      }
      var version = StreamKeys.manifestVersion(deleted.key());
      require(
          version.isEmpty() || version.getAsLong() < newest.version(),
          "I8: the head was deleted: " + deleted.key());
      BundleDescriptor bundle = published.get(deleted.key());
      require(
          bundle == null
              || bundle.nextStep() <= newest.firstStep()
              || newest.version() >= versionOf.get(deleted.key())
                  && !isShown(bundle, newest.version()),
          "I4: deleted before its time: " + deleted.key());
    }
  }

  /** I10: an object is for ever what was written under its name, and so are a reader's bytes. */
  private void checkReceived() {
    world.written.forEach(
        (key, bytes) -> {
          byte[] now = world.memory.bytes(key);
          require(now == null || Arrays.equals(now, bytes), "I10: changed: " + key);
        });
    for (World.Received received : world.received) {
      byte[] bytes = world.written.get(received.object());
      require(
          Arrays.equals(received.taste(), Arrays.copyOf(bytes, World.TASTE)),
          "I10: " + received.reader() + " was sent another bundle than " + received.object());
    }
  }

  /** I10: wherever its objects are copied to, it is the same stream. */
  private void checkCopy() {
    MemoryStore elsewhere = new MemoryStore("mem://elsewhere/a/copy", world.sim);
    world.memory.keys().forEach(key -> copy(key, world.memory.bytes(key), elsewhere));
    TrainingStream copy = TrainingStream.open(elsewhere, world.sim);
    Manifest newest = copy.log().newest();
    require(copy.id().equals(stream.id()) && newest.equals(head), "I10: the copy has another head");
    List<BundleDescriptor> described =
        copy.history(newest).bundles(newest.firstStep(), Integer.MAX_VALUE);
    require(
        described.equals(
            bundles.values().stream().filter(b -> b.nextStep() > newest.firstStep()).toList()),
        "I10: the copy does not describe what was published");
    for (BundleDescriptor bundle : described) {
      try {
        Futures.await(BundleCheck.exists(elsewhere, copy.id(), bundle.bundle()));
      } catch (LakestreamException e) {
        require(false, "I10: a bundle of the copy cannot be read: " + e.getMessage());
      }
    }
  }

  private Optional<BundleDescriptor> at(long step, long version) {
    return Optional.ofNullable(shown.get(step))
        .map(one -> one.floorEntry(version))
        .map(Map.Entry::getValue);
  }

  private boolean isShown(BundleDescriptor bundle, long version) {
    return at(bundle.firstStep(), version).equals(Optional.of(bundle));
  }

  /** I3 and I8: what a reader saw is a part of the one history, and all of it. */
  private void checkSightings() {
    Map<Long, UUID> live = new HashMap<>();
    Map<String, Long> seen = new HashMap<>();
    chain.forEach(manifest -> live.put(manifest.version(), manifest.commitId()));
    for (World.Sighting sighting : world.sightings) {
      require(
          sighting.commitId().equals(live.get(sighting.version())),
          "I8: " + sighting.reader() + " believed a dead manifest " + sighting.version());
      sighting
          .steps()
          .forEach(
              (step, object) ->
                  require(
                      at(step, sighting.version())
                          .filter(bundle -> bundle.bundle().object().equals(object))
                          .isPresent(),
                      "I3: " + sighting.reader() + " saw another step " + step));
      if (sighting.commitId().equals(live.get(sighting.version()))) {
        checkDense(sighting, seen);
      }
    }
  }

  /** From where the reader stood, or from the trim, to the end of the manifest. */
  private void checkDense(World.Sighting sighting, Map<String, Long> seen) {
    Manifest manifest = chain.get((int) sighting.version());
    long step = Math.max(seen.getOrDefault(sighting.reader(), 0L), manifest.firstStep());
    for (long first : new TreeSet<>(sighting.steps().keySet())) {
      require(first <= step, "I3: " + sighting.reader() + " did not see step " + step);
      step = at(first, sighting.version()).map(BundleDescriptor::nextStep).orElse(step);
    }
    require(step >= manifest.nextStep(), "I3: " + sighting.reader() + " did not see step " + step);
    seen.put(sighting.reader(), manifest.nextStep());
  }

  /** Whoever finished has everything in the stream: sequences 1 to n, in its lineage. */
  private void checkFinished(Map<String, UUID> finished) {
    Map<UUID, UUID> lineageOf = new HashMap<>();
    Map<UUID, Long> reached = new HashMap<>();
    for (Manifest manifest : chain) {
      for (ProducerEntry entry : manifest.producers()) {
        entry.owners().forEach(owner -> lineageOf.put(owner.id(), owner.lineage()));
        entry.lineages().forEach(lineage -> reached.put(lineage.id(), lineage.sequence()));
      }
    }
    finished.forEach(
        (producer, owner) ->
            require(
                reached.getOrDefault(lineageOf.get(owner), 0L) == world.schedule.sequences(),
                "unfinished: " + producer));
  }
}
