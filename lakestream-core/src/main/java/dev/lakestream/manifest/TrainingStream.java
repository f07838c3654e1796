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

import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Time;
import java.util.UUID;

/**
 * A stream that exists: its store, what it is, and its manifests.
 *
 * <p>Creation is two conditional creates, of the {@code stream} object and of the first manifest;
 * either may be done by another, or by a second attempt, and the first one to get through decides
 * what the stream is. The first manifest is number 0, unless another stream was dropped at the
 * address.
 *
 * <p>Assumption: a create by condition has one winner, however many try; stores that do not keep to
 * it are found out by {@link dev.lakestream.store.ConditionalCreateProbe} before the first commit.
 * A process that dies between the two creates leaves a stream object without manifests: whoever
 * opens the stream to write puts the first one there, and readers are refused until then. A lost
 * answer to either create is resolved by reading what is there.
 */
public final class TrainingStream {

  /** So many descriptors a manifest holds inline at most. */
  public static final int MAX_TAIL = 64;

  /** So many of the newest stay inline when the others are sealed, for the readers at the head. */
  static final int KEPT_TAIL = 16;

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
    return new TrainingStream(store, StreamObject.read(store), time);
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
      StreamObject.create(store, wanted, time);
      stream = open(store, time);
    }
    new RootManifests(store, stream.info, time).begin();
    return stream;
  }

  public static TrainingStream openOrCreate(ObjectStore store, StreamInfo wanted) {
    return openOrCreate(store, wanted, Time.SYSTEM);
  }

  /**
   * Ends the stream for good, which is how dropping it begins: from then on whoever writes or reads
   * it meets a {@link StreamDroppedException}, however long it slept. Ends it once, however often
   * it is called.
   *
   * @return the number of its last manifest, which has to stay, so that no writer that wakes up
   *     later can publish again; all lower ones may be deleted
   * @throws StreamDroppedException if it is gone and another is in its place
   */
  public long end() {
    return new RootManifests(store, info, time).end();
  }

  /** Whether the stream object is still, or again, the one that was opened. */
  public boolean isThere() {
    try {
      return StreamObject.read(store).id().equals(id());
    } catch (StreamNotFoundException gone) {
      return false;
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
