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

import dev.lakestream.batch.Mesh;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Time;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.UUID;

/** Makes manifests by hand, without any protocol, so that a test can put a store into any state. */
public final class Chain {

  public static final StreamInfo INFO =
      new StreamInfo(new UUID(1, 2), 1_000, new Mesh(2, 1), "raw", "", Map.of());

  private final ObjectStore store;
  private final TrainingStream stream;
  private long ids = 1;

  /** Of a stream in {@code store}, which is created if it is not there. */
  public Chain(ObjectStore store, Time time) {
    this.store = store;
    this.stream = TrainingStream.openOrCreate(store, INFO, time);
  }

  public Manifest first() {
    return stream.log().at(0).orElseThrow();
  }

  /** Creates the child of {@code parent}, with one bundle of one step more. */
  public Manifest grow(Manifest parent) {
    Manifest child = childOf(parent);
    CreateOutcome outcome =
        Futures.await(stream.log().create(child.version(), stream.log().encode(child, parent)));
    if (outcome != CreateOutcome.CREATED) {
      throw new IllegalStateException(outcome + " at version " + child.version());
    }
    return child;
  }

  /** The same so many times; returns the last one. */
  public Manifest grow(Manifest parent, int times) {
    Manifest newest = parent;
    for (int i = 0; i < times; i++) {
      newest = grow(newest);
    }
    return newest;
  }

  /** A child that is not in the store. */
  public Manifest childOf(Manifest parent) {
    UUID id = new UUID(77, ids++);
    return stream.seal(
        new NextManifest(parent, "append").append(Bundles.of(new UUID(5, 5), id, 1), "p", 1), id);
  }

  /** Writes it over whatever has its number, as a store without conditions would. */
  public void overwrite(Manifest manifest, Manifest parent) {
    Futures.await(
        store.put(
            StreamKeys.manifest(manifest.version()),
            Payload.of(stream.log().encode(manifest, parent))));
  }

  /** Deletes the manifests from {@code from} (inclusive) to {@code to} (exclusive). */
  public void reclaim(long from, long to) {
    for (long version = from; version < to; version++) {
      Futures.await(store.delete(StreamKeys.manifest(version)));
    }
  }

  /** What the bytes of a manifest say, wherever they were kept. */
  public static Manifest decode(byte[] object) {
    return ManifestCodec.decode(ByteBuffer.wrap(object), "a manifest");
  }
}
