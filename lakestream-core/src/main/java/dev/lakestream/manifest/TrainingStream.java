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
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import dev.lakestream.store.Time;
import java.util.Optional;
import java.util.UUID;

/**
 * A stream that exists: its store, what it is, and its manifests.
 *
 * <p>Creation is two conditional creates, of the {@code stream} object and of manifest 0; either
 * may be done by another, or by a second attempt, and the first one to get through decides what the
 * stream is.
 */
public final class TrainingStream {

  /** So many descriptors a manifest holds inline at most. */
  public static final int MAX_TAIL = 64;

  /** So many of the newest stay inline when the others are sealed, for the readers at the head. */
  static final int KEPT_TAIL = 16;

  /** A stream object larger than this is not one. */
  private static final int MAX_STREAM_OBJECT = 16 * 1024 * 1024;

  /** Covers it whole in one request, unless its schema is long. */
  private static final int USUAL_STREAM_OBJECT = 64 * 1024;

  private static final int CREATE_TRIES = 10;

  private final ObjectStore store;
  private final StreamInfo info;
  private final Time time;
  private final ManifestLog log;
  private final Segments segments;

  private TrainingStream(ObjectStore store, StreamInfo info, Time time) {
    this.store = store;
    this.info = info;
    this.time = time;
    this.log = new ManifestLog(store, info.id(), time);
    this.segments = new Segments(store, info.id());
  }

  /** Opens the stream; {@link StreamNotFoundException} if there is none. */
  public static TrainingStream open(ObjectStore store, Time time) {
    try {
      Suffix suffix = Futures.await(store.readSuffix(StreamKeys.STREAM, USUAL_STREAM_OBJECT));
      long length = suffix.objectLength();
      String what = "The stream object of " + store.address();
      if (length > MAX_STREAM_OBJECT) {
        throw new CorruptObjectException(what + " is no stream object: " + length + " bytes.");
      }
      var bytes =
          suffix.offset() == 0
              ? suffix.bytes()
              : Futures.await(store.read(StreamKeys.STREAM, 0, (int) length));
      return new TrainingStream(store, StreamCodec.decode(bytes, what), time);
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        throw new StreamNotFoundException(store.address(), e);
      }
      throw e;
    }
  }

  public static TrainingStream open(ObjectStore store) {
    return open(store, Time.SYSTEM);
  }

  /**
   * Opens the stream, or creates it as {@code wanted} if there is none. When another creates it
   * first, theirs is the stream: compare {@link #info}.
   */
  public static TrainingStream openOrCreate(ObjectStore store, StreamInfo wanted, Time time) {
    TrainingStream stream;
    try {
      stream = open(store, time);
    } catch (StreamNotFoundException absent) {
      createObject(store, StreamKeys.STREAM, StreamCodec.encode(wanted), time);
      stream = open(store, time);
    }
    stream.createFirstManifest();
    return stream;
  }

  public static TrainingStream openOrCreate(ObjectStore store, StreamInfo wanted) {
    return openOrCreate(store, wanted, Time.SYSTEM);
  }

  private void createFirstManifest() {
    if (new HeadFinder(store).newestListed().isEmpty()) {
      Manifest first = Manifest.first(info, UUID.randomUUID());
      createObject(
          store, StreamKeys.manifest(0), ManifestCodec.encode(first, Optional.empty()), time);
    }
  }

  /**
   * Whoever creates it, it is there afterwards: an unknown outcome is settled by the read that
   * follows.
   */
  private static void createObject(ObjectStore store, String key, byte[] bytes, Time time) {
    for (int attempt = 1; ; attempt++) {
      try {
        CreateOutcome outcome = Futures.await(store.createIfAbsent(key, Payload.of(bytes)));
        if (outcome != CreateOutcome.TRY_AGAIN) {
          return;
        }
        if (attempt >= CREATE_TRIES) {
          throw new StoreException(
              Fault.TRANSIENT,
              "Could not create "
                  + key
                  + " at "
                  + store.address()
                  + ": the store answered "
                  + attempt
                  + " times that the request conflicts with another (409). Try again.");
        }
      } catch (StoreException e) {
        if (!e.fault().retryable() || attempt >= CREATE_TRIES) {
          throw e;
        }
      }
      time.sleep(java.time.Duration.ofMillis(50L << Math.min(attempt, 6)));
    }
  }

  public ObjectStore store() {
    return store;
  }

  public StreamInfo info() {
    return info;
  }

  public UUID id() {
    return info.id();
  }

  /** For messages: the address of the store and the id. */
  @Override
  public String toString() {
    return "stream " + store.address() + " (" + info.id() + ")";
  }

  public Time time() {
    return time;
  }

  public ManifestLog log() {
    return log;
  }

  /** Lookups in the history that ends with {@code manifest}. */
  public History history(Manifest manifest) {
    return new History(segments, manifest);
  }

  /** Turns a draft into a manifest that can be created; writes the segments that it needs. */
  public Manifest seal(NextManifest draft, UUID commitId) {
    return draft.build(commitId, time.currentTimeMillis(), segments);
  }
}
