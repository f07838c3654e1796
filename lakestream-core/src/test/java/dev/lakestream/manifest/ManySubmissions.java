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

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/** What is left of a producer after many submissions: as large as its entry gets. */
public final class ManySubmissions {

  private static final long NOW = 1_700_000_000_000L;

  /** As long as a claim leaves it. */
  private static final String JOB =
      "insert-into_default_catalog.default_database.pretraining_corpora";

  private ManySubmissions() {}

  /** Each submission starts from nothing, in a lineage of its own, and publishes. */
  public static ProducerEntry of(
      String producerId, int submissions, ByteString position, long seed) {
    Random random = new Random(seed);
    ProducerEntry entry = null;
    for (int i = 0; i < submissions; i++) {
      UUID id = new UUID(random.nextLong(), random.nextLong());
      Owner owner = new Owner(id, id, JOB, NOW);
      entry =
          entry == null ? ProducerEntry.of(producerId, owner, NOW) : entry.withOwner(owner, NOW);
      Lineage published =
          new Lineage(id, 100_000 + i, Optional.of(id), 9_000_000, position, 9_999_999);
      entry = entry.withLineage(published, NOW);
    }
    return entry;
  }
}
