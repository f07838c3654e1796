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
package dev.lakestream.retention;

import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.UUID;

/**
 * What time it is where objects get their stamps. A clock of this machine that runs ahead would
 * make young objects look old: so a small object is written and listed, and the lower of the two
 * clocks counts. What it writes is a probe, which reclamation deletes like any other.
 */
final class StoreClock {

  private final ObjectStore store;
  private final Time time;
  private final boolean mayWrite;
  private Long offset;

  /**
   * @param mayWrite false: this machine's clock has to do
   */
  StoreClock(ObjectStore store, Time time, boolean mayWrite) {
    this.store = store;
    this.time = time;
    this.mayWrite = mayWrite;
  }

  /** Whether the object is so old. One without a stamp is of unknown age, and never is. */
  boolean isOlder(Listing.Entry object, Duration age) {
    return object.lastModified() > 0 && now() - object.lastModified() >= age.toMillis();
  }

  /** Milliseconds since the epoch. */
  long now() {
    if (offset == null) {
      offset = mayWrite ? Math.min(0, measured()) : 0;
    }
    return time.currentTimeMillis() + offset;
  }

  private long measured() {
    String key = "probe/" + UUID.randomUUID() + "/clock";
    Futures.await(store.put(key, Payload.of(new byte[] {0})));
    try {
      Listing page = Futures.await(store.list(key, "", 1));
      // Not listed: an old listing, or one who deletes probes was quicker. Then nothing looks old.
      long stamp = page.objects().isEmpty() ? 0 : page.objects().get(0).lastModified();
      return stamp - time.currentTimeMillis();
    } finally {
      Futures.await(store.delete(key));
    }
  }
}
