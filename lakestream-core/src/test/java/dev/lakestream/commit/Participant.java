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
package dev.lakestream.commit;

import com.google.protobuf.ByteString;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.Bundles;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.ObjectStore;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** A producer with a connection to the store of its own, on which a test can put faults. */
final class Participant {

  final String id;
  final UUID owner;
  final FaultyStore store;
  final CommitMetrics metrics = new CommitMetrics();
  final Publisher publisher;
  private final UUID lineage;
  private long sequence;

  Participant(String id, ObjectStore shared, VirtualTime time) {
    this(id, shared, time, Pacing.NAIVE);
  }

  Participant(String id, ObjectStore shared, VirtualTime time, Pacing pacing) {
    this.id = id;
    this.owner = new UUID(id.hashCode(), 1);
    this.store = new FaultyStore(shared, time);
    this.publisher =
        new Publisher(
            TrainingStream.open(store, time),
            new CommitSettings(pacing, Duration.ofMinutes(2), Duration.ofMinutes(1)),
            new Random(1),
            metrics);
    this.lineage =
        publisher
            .takeOver(new Claim(id, owner, "job of " + id, new Claim.Fresh()), OnRewind.FAIL)
            .lineage()
            .id();
  }

  /** The next sequence: one bundle of one step. */
  Publication next() {
    sequence++;
    return publication(sequence);
  }

  Publication publication(long number) {
    return new Publication(
        id,
        owner,
        lineage,
        owner,
        number,
        List.of(Bundles.of(owner, new UUID(id.hashCode(), number), 1)),
        ByteString.EMPTY,
        false);
  }

  Publisher.Published publish() {
    return publisher.publish(next());
  }

  long sequence() {
    return sequence;
  }
}
