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
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the manifests of one stream by their numbers: whole, or as a delta against the one before.
 * Says nothing of their being live, which is for {@link ManifestLog} to find out. Thread-safe.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A number may be freed and used again. So a delta is applied only to the parent whose commit
 *       id it names; any other is told as {@link ReclaimedException}, and the caller begins anew
 *       from the head.
 *   <li>The object is what was written: each part that is used is checked by its CRC, and the
 *       version and, of a whole one, the stream are compared with what was asked for.
 *   <li>Where delta and manifest of one object differ, readers disagree. Nobody here can see that;
 *       an audit compares the two.
 * </ul>
 */
final class ManifestReader {

  /** Covers a manifest whole in all but unusual streams. */
  private static final int WHOLE = 96 * 1024;

  /** Covers most deltas. */
  private static final int SUFFIX = 8 * 1024;

  private final ObjectStore store;
  private final UUID streamId;

  ManifestReader(ObjectStore store, UUID streamId) {
    this.store = store;
    this.streamId = streamId;
  }

  /**
   * The manifest with this number, read whole; empty if there is none.
   *
   * @throws StreamDroppedException if it is one of another stream
   */
  Optional<Manifest> at(long version) {
    return suffix(version, WHOLE).map(suffix -> whole(version, suffix));
  }

  /** Begins to read the manifest with this number; for {@link #found} and {@link #whole}. */
  CompletableFuture<Suffix> begin(long version) {
    return store.readSuffix(StreamKeys.manifest(version), WHOLE);
  }

  /** Begins to read the delta of the manifest with this number; for {@link #found}. */
  CompletableFuture<Suffix> beginDelta(long version) {
    return store.readSuffix(StreamKeys.manifest(version), SUFFIX);
  }

  /** Whether there is an object with this number. */
  boolean exists(long version) {
    return suffix(version, ManifestCodec.TRAILER_LENGTH).isPresent();
  }

  /**
   * The manifest after {@code parent}; empty if there is none.
   *
   * @throws ReclaimedException if the next number holds something that is not its child
   */
  Optional<Manifest> child(Manifest parent) {
    long version = parent.version() + 1;
    Optional<Suffix> suffix = suffix(version, SUFFIX);
    if (suffix.isEmpty()) {
      return Optional.empty();
    }
    Optional<ManifestDelta> delta = ManifestCodec.decodeDelta(suffix.get().bytes(), what(version));
    if (delta.isPresent()) {
      requireChild(
          parent, version, delta.get().version(), Optional.of(delta.get().parentCommitId()));
      return Optional.of(delta.get().applyTo(parent));
    }
    Optional<Manifest> read = at(version);
    read.ifPresent(m -> requireChild(parent, version, m.version(), m.parentCommitId()));
    return read;
  }

  /**
   * The manifest after {@code parent} as its delta makes it of the parent, whatever the rest of the
   * object says: an audit compares it with {@link #at}. Empty if there is none.
   *
   * @throws ReclaimedException if the delta names another parent
   */
  Optional<Manifest> fromDelta(Manifest parent) {
    long version = parent.version() + 1;
    return suffix(version, WHOLE)
        .map(
            suffix -> {
              ManifestDelta delta =
                  ManifestCodec.decodeDelta(suffix.bytes(), what(version))
                      .orElseGet(() -> wholeDelta(version, suffix));
              requireChild(parent, version, delta.version(), Optional.of(delta.parentCommitId()));
              return delta.applyTo(parent);
            });
  }

  private ManifestDelta wholeDelta(long version, Suffix suffix) {
    int length = Math.toIntExact(suffix.objectLength());
    return ManifestCodec.decodeDelta(
            Futures.await(store.read(StreamKeys.manifest(version), 0, length)), what(version))
        .orElseThrow(
            () -> new CorruptObjectException(what(version) + " is shorter than its delta."));
  }

  private void requireChild(
      Manifest parent, long version, long stated, Optional<UUID> statedParent) {
    if (stated != version) {
      throw new CorruptObjectException(what(version) + " states version " + stated + ".");
    }
    if (!statedParent.equals(Optional.of(parent.commitId()))) {
      throw new ReclaimedException(
          store.address(),
          parent.version(),
          "manifest " + version + " names another parent: " + statedParent.orElse(null));
    }
  }

  /** Whether the next number holds a child of {@code manifest}. */
  boolean isParentOfNext(Manifest manifest) {
    long version = manifest.version() + 1;
    return suffix(version, SUFFIX)
        .map(
            suffix ->
                ManifestCodec.decodeDelta(suffix.bytes(), what(version))
                    .map(ManifestDelta::parentCommitId)
                    .or(() -> at(version).flatMap(Manifest::parentCommitId))
                    .equals(Optional.of(manifest.commitId())))
        .orElse(false);
  }

  /**
   * @param suffix of the object with this number, {@link #begin}
   */
  Manifest whole(long version, Suffix suffix) {
    var bytes =
        suffix.offset() == 0
            ? suffix.bytes()
            : Futures.await(
                store.read(
                    StreamKeys.manifest(version), 0, Math.toIntExact(suffix.objectLength())));
    Manifest manifest = ManifestCodec.decode(bytes, what(version));
    if (manifest.version() != version) {
      throw new CorruptObjectException(
          what(version) + " states version " + manifest.version() + ".");
    }
    if (!manifest.streamId().equals(streamId)) {
      throw StreamDroppedException.replaced(what(version), manifest.streamId(), streamId);
    }
    return manifest;
  }

  private Optional<Suffix> suffix(long version, int length) {
    return found(store.readSuffix(StreamKeys.manifest(version), length));
  }

  /** What came; empty if there is no such object. */
  static Optional<Suffix> found(CompletableFuture<Suffix> read) {
    try {
      return Optional.of(Futures.await(read));
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Names a manifest in messages. */
  String what(long version) {
    return "Manifest " + version + " of " + store.address();
  }
}
