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
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a bundle of the same bytes under another name. Holds the whole bundle in memory.
 *
 * <p>Assumption: bundles never change, so that the chunks are of one object, and the original's
 * checksums are right for the copy. They are not verified: damage is found by whoever reads the
 * copy, as it would have been in the original. An original that reclamation takes away in between
 * is {@link dev.lakestream.store.Fault#MISSING}, and nothing has been written then.
 */
public final class BundleCopy {

  private BundleCopy() {}

  /**
   * Copies {@code bundle}; the copy is in the store when this returns.
   *
   * @throws dev.lakestream.store.StoreException {@link dev.lakestream.store.Fault#MISSING} if it is
   *     gone
   */
  public static StagedBundle copy(ObjectStore store, StagedBundle bundle, BundleName name) {
    List<ByteBuffer> content = new ArrayList<>();
    for (long at = 0; at < bundle.objectLength(); at += BundleCheck.CHUNK_LENGTH) {
      int length = (int) Math.min(BundleCheck.CHUNK_LENGTH, bundle.objectLength() - at);
      content.add(Futures.await(store.read(bundle.object(), at, length)));
    }
    Futures.await(store.put(name.object(), Payload.of(content)));
    return bundle.named(name.object());
  }
}
