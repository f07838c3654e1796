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
package dev.lakestream.batch;

import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import java.nio.ByteBuffer;

/** What tests of bundles share. */
final class BundleFixtures {

  private BundleFixtures() {}

  /** The object in one piece. */
  static byte[] bytes(Payload payload) {
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(payload.length()));
    payload.buffers().forEach(out::put);
    return out.array();
  }

  /** Writes the bundle; returns what is staged then. */
  static StagedBundle write(ObjectStore store, BundleBuilder.Bundle bundle) {
    Futures.await(store.put(bundle.staged().object(), bundle.payload()));
    return bundle.staged();
  }

  static void put(ObjectStore store, String object, byte[] bytes) {
    Futures.await(store.put(object, Payload.of(bytes)));
  }
}
