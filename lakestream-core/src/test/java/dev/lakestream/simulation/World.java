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

import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.format.Uuids;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Time;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;

/** The store as it truly is, with everything that ever happened to its manifests. */
final class World {

  /** Listings are at most this old. */
  static final Duration STALENESS = Duration.ofSeconds(5);

  private static final Mesh MESH = new Mesh(2, 1);

  /** So many bytes a reader takes of a bundle: they differ between any two. */
  static final int TASTE = 64;

  final Simulation sim;
  final Schedule schedule;
  final Lie lie;
  final MemoryStore memory;
  final List<Report> reports = new ArrayList<>();
  final List<Sighting> sightings = new ArrayList<>();
  final List<Received> received = new ArrayList<>();

  /** Bundles and segments as they were when they were written: they never change. */
  final Map<String, byte[]> written = new HashMap<>();

  final List<String> violations = new ArrayList<>();

  /** The bytes of every manifest that was ever stored, in that order. */
  final List<byte[]> manifests = new ArrayList<>();

  /** Every object that was deleted, in that order. */
  final List<Deleted> deletions = new ArrayList<>();

  /** Segments that were deleted: the audit looks at manifests that are long gone. */
  final Map<String, byte[]> oldSegments = new HashMap<>();

  private final Map<Long, Long> storedAt = new HashMap<>();
  private final Map<String, Long> modifiedAt = new HashMap<>();
  private long trimmedTo;
  private final List<Change> changes = new ArrayList<>();
  private final List<String> trace;
  private long ids;

  World(Simulation sim, Schedule schedule, Lie lie, List<String> trace) {
    this.sim = sim;
    this.schedule = schedule;
    this.lie = lie;
    this.trace = trace;
    this.memory = new MemoryStore("mem://sim", sim);
  }

  /** A publisher was told that its work is in the stream. */
  record Report(String producer, UUID owner, long sequence, List<String> objects, long version) {}

  /** A reader took this manifest for a part of the stream, and saw these objects at these steps. */
  record Sighting(String reader, long version, UUID commitId, Map<Long, String> steps) {}

  /** The first bytes of a bundle, as a reader was sent them. */
  record Received(String reader, String object, byte[] taste) {}

  /**
   * An object that is gone.
   *
   * @param manifests how many had been stored by then
   */
  record Deleted(String key, int manifests) {}

  private record Change(long at, String key, boolean created) {}

  /** The clock that producers wait by. */
  Time clock() {
    return lie != Lie.NO_PATIENCE
        ? sim
        : new Time() {
          @Override
          public long nanoTime() {
            return sim.nanoTime();
          }

          @Override
          public long currentTimeMillis() {
            return sim.currentTimeMillis();
          }

          @Override
          public void sleep(Duration duration) {
            sim.sleep(Duration.ofNanos(1));
          }
        };
  }

  void created(String key, Payload content) {
    remember(key, content);
    changes.add(new Change(sim.nanoTime(), key, true));
    StreamKeys.manifestVersion(key)
        .ifPresent(
            version -> {
              storedAt.put(version, sim.nanoTime());
              manifests.add(bytes(content));
              if (schedule.reclaimers() > 0) {
                checkTrim(Chain.decode(bytes(content)));
              }
            });
    modifiedAt.put(key, sim.currentTimeMillis());
  }

  /** Nobody may give up what a watermark, as it truly stands, asks for. */
  private void checkTrim(Manifest manifest) {
    if (manifest.firstStep() > trimmedTo) {
      trimmedTo = manifest.firstStep();
      long held = new Watermarks(TrainingStream.open(memory, sim)).step(Ranks.GROUP).orElse(0);
      if (trimmedTo > held) {
        violation("trimmed to " + trimmedTo + " though step " + held + " is held");
      }
    }
  }

  /** Whether a manifest is part of the one true history, as of now. */
  boolean isLive(UUID commitId) {
    Map<UUID, Manifest> all = new HashMap<>();
    Manifest newest = null;
    for (byte[] object : manifests) {
      Manifest manifest = Chain.decode(object);
      all.put(manifest.commitId(), manifest);
      newest = newest == null || manifest.version() > newest.version() ? manifest : newest;
    }
    for (Manifest at = newest; at != null; at = at.parentCommitId().map(all::get).orElse(null)) {
      if (at.commitId().equals(commitId)) {
        return true;
      }
    }
    return false;
  }

  void put(String key, Payload content) {
    if (memory.bytes(key) == null) {
      changes.add(new Change(sim.nanoTime(), key, true));
    }
    modifiedAt.put(key, sim.currentTimeMillis());
    Futures.await(memory.put(key, content));
    remember(key, content);
  }

  private void remember(String key, Payload content) {
    if (!key.startsWith(StreamKeys.DATA_PREFIX) && !key.startsWith(StreamKeys.SEGMENT_PREFIX)) {
      return;
    }
    byte[] bytes = bytes(content);
    written.putIfAbsent(key, bytes);
    boolean isBundle = key.startsWith(StreamKeys.DATA_PREFIX);
    if (lie == Lie.CHANGES_OBJECTS && isBundle && written.size() % 10 == 0) {
      byte[] other = bytes.clone();
      other[other.length / 2]++;
      Futures.await(memory.put(key, Payload.of(other)));
    }
  }

  /** When the object was written last, by the clock of the store. */
  long modifiedAt(String key) {
    return modifiedAt.getOrDefault(key, 0L);
  }

  void deleted(String key) {
    byte[] content = memory.bytes(key);
    if (content == null) {
      return;
    }
    changes.add(new Change(sim.nanoTime(), key, false));
    deletions.add(new Deleted(key, manifests.size()));
    if (key.startsWith(StreamKeys.SEGMENT_PREFIX)) {
      oldSegments.put(key, content);
    }
  }

  /** The keys below a prefix as they were so long ago. */
  TreeMap<String, Boolean> keys(String prefix, Duration ago) {
    TreeMap<String, Boolean> keys = new TreeMap<>();
    memory.keys().stream().filter(key -> key.startsWith(prefix)).forEach(k -> keys.put(k, true));
    long then = sim.nanoTime() - ago.toNanos();
    for (int i = changes.size() - 1; i >= 0 && changes.get(i).at > then; i--) {
      Change change = changes.get(i);
      if (change.created) {
        keys.remove(change.key);
      } else if (change.key.startsWith(prefix)) {
        keys.put(change.key, true);
      }
    }
    return keys;
  }

  /** The manifest numbers below {@code version} that reclamation may free, the oldest first. */
  List<Long> reclaimable(long version) {
    long settled = sim.nanoTime() - (schedule.staleListings() ? STALENESS.toNanos() + 1 : -1);
    List<Long> numbers = new ArrayList<>();
    for (String key : memory.keys()) {
      OptionalLong number = StreamKeys.manifestVersion(key);
      if (number.isPresent() && number.getAsLong() < version) {
        Long followed = storedAt.get(number.getAsLong() + 1);
        if (followed != null && followed < settled) {
          numbers.add(number.getAsLong());
        }
      }
    }
    return numbers;
  }

  UUID newId() {
    return new UUID(0xABCD, ++ids);
  }

  /** A bundle of a new name, with slices that no other has. */
  Map.Entry<StagedBundle, Payload> newBundle(UUID owner, long after) {
    int steps = 1 + sim.random.nextInt(2);
    UUID id = newId();
    BundleBuilder builder = new BundleBuilder(Chain.INFO.id(), "raw", Compression.NONE);
    for (int step = 0; step < steps; step++) {
      Slice slice = Slice.of(Uuids.toBytes(id).toByteArray(), 1);
      builder.add(GlobalBatch.of(MESH, List.of(slice, slice)));
    }
    long named = lie == Lie.NAMED_TOO_EARLY ? Math.max(0, after - 1) : after;
    BundleBuilder.Bundle bundle =
        builder.build(new BundleName(owner, named, 0, id).object(), Map.of());
    return Map.entry(bundle.staged(), bundle.payload());
  }

  void trace(String who, String what) {
    if (trace != null) {
      trace.add(String.format("%12.6f %-14s %s", sim.nanoTime() / 1e9, who, what));
    }
  }

  boolean tracing() {
    return trace != null;
  }

  void violation(String what) {
    violations.add(what);
    trace("!", what);
  }

  private static byte[] bytes(Payload payload) {
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(payload.length()));
    payload.buffers().forEach(bytes::put);
    return bytes.array();
  }
}
