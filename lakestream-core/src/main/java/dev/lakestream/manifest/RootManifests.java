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
import dev.lakestream.format.UnsupportedVersionException;
import dev.lakestream.store.Listings;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * Writes the two manifests of a stream that have no parent: the one it begins with, and the one
 * that ends it when it is dropped. Each goes right above all numbers that are there, whoever used
 * them.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>At an address one stream follows another: the next one's {@code stream} object cannot be
 *       created before the object of the one before is deleted, which happens after that one was
 *       ended. Numbers only go up, so a writer that slept through all of it creates one that lies
 *       below, and is not live (invariant I8), or loses to the manifest that ended its stream.
 *   <li>Creating and dropping are slow paths that may sleep anywhere. So a foreign manifest at the
 *       top is built upon only if the {@code stream} object is still this stream's when asked after
 *       the listing: a stream that was created later would have taken the number that was free
 *       then.
 *   <li>A number that was listed as free may be taken, or lie below the live run by now: every
 *       create is followed by another look, until the top is what it should be.
 * </ul>
 */
final class RootManifests {

  private static final int TRIES = 20;
  private static final Duration WAIT = Duration.ofMillis(50);

  private final ObjectStore store;
  private final StreamInfo info;
  private final Time time;
  private final HeadFinder finder;
  private final ManifestReader reader;

  RootManifests(ObjectStore store, StreamInfo info, Time time) {
    this.store = store;
    this.info = info;
    this.time = time;
    this.finder = new HeadFinder(store);
    this.reader = new ManifestReader(store, info.id());
  }

  /**
   * Afterwards there is a manifest of the stream, if there was none.
   *
   * @throws StreamDroppedException if another stream is there by now
   */
  void begin() {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      OptionalLong top = finder.newestListed();
      if (top.isPresent() && at(top.getAsLong()).isPresent()) {
        return;
      }
      if (top.isPresent()) {
        requireNoneBelow(top.getAsLong());
      }
      create(attempt, top, version -> Manifest.first(info, version, UUID.randomUUID()));
    }
    // A listing that stays stale: whoever looks for the newest manifest says so.
  }

  /**
   * Afterwards the stream is ended: nothing is published in it any more.
   *
   * @return the number of the manifest that ends it
   * @throws StreamDroppedException if another stream is there by now
   */
  long end() {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      OptionalLong top = finder.newestListed();
      if (top.isPresent() && at(top.getAsLong()).filter(Top::dropped).isPresent()) {
        return top.getAsLong();
      }
      long now = time.currentTimeMillis();
      create(attempt, top, version -> Manifest.last(info, version, UUID.randomUUID(), now));
    }
    throw new CorruptObjectException(
        "Stream "
            + info.id()
            + " at "
            + store.address()
            + " could not be ended: after "
            + TRIES
            + " attempts its newest manifest is another than the one that was created to end it."
            + " Stop what writes to it, and try again.");
  }

  /**
   * A stream that has manifests never begins again, or its steps would be used twice under one id:
   * somebody deleted the stream before it under a running writer, which then wrote above it.
   */
  private void requireNoneBelow(long top) {
    Listings.forEach(
        store,
        StreamKeys.MANIFEST_PREFIX,
        entry -> {
          OptionalLong version = StreamKeys.manifestVersion(entry.key());
          if (version.isPresent()
              && version.getAsLong() < top
              && at(version.getAsLong()).isPresent()
              && finder.newestListed().equals(OptionalLong.of(top))) {
            throw new CorruptObjectException(
                "Manifest "
                    + top
                    + " of "
                    + store.address()
                    + " belongs to another stream and lies above those of stream "
                    + info.id()
                    + ": the objects of that other stream were deleted while a job still wrote to"
                    + " it. Stop that job, drop the stream, and create it again.");
          }
        });
  }

  /** What is of interest in the newest manifest of this stream. */
  private record Top(boolean dropped) {}

  /** Empty: it is another stream's, or gone. One that cannot be read counts as the stream's. */
  private Optional<Top> at(long version) {
    try {
      return reader.at(version).map(manifest -> new Top(manifest.dropped()));
    } catch (StreamDroppedException foreign) {
      UUID there = StreamObject.read(store).id();
      if (!there.equals(info.id())) {
        throw foreign;
      }
      return Optional.empty();
    } catch (CorruptObjectException | UnsupportedVersionException unreadable) {
      return Optional.of(new Top(false));
    }
  }

  private void create(int attempt, OptionalLong top, LongFunction<Manifest> root) {
    if (attempt > 0) {
      time.sleep(WAIT.multipliedBy(attempt));
    }
    long version = top.isPresent() ? top.getAsLong() + 1 : 0;
    StreamObject.create(
        store,
        StreamKeys.manifest(version),
        ManifestCodec.encode(root.apply(version), Optional.empty()),
        time);
  }
}
