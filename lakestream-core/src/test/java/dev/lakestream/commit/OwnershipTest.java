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

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.ProducerEntry;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Who comes back to a producer that many others have taken over meanwhile. */
class OwnershipTest {

  private final Random random = new Random(1);
  private Optional<ProducerEntry> entry = Optional.empty();

  @Test
  void whoeverComesBackAfterThirtyOthersIsFenced() {
    UUID old = id();
    for (Claim.Start start :
        List.of(new Claim.Fresh(), new Claim.Batch(), new Claim.Resume(), restored(old, old, 1))) {
      entry = Optional.empty();
      take(old, new Claim.Fresh());
      publish(1);
      othersTakeOver(30);
      assertThat(claim(old, start)).as("%s", start).isInstanceOf(Ownership.Fenced.class);
    }
  }

  /** Nobody remembers the owner any more: its own checkpoint gives it away. */
  @Test
  void aRestoreThatComesBackAfterAThousandOthersIsFenced() {
    UUID old = id();
    take(old, new Claim.Fresh());
    publish(1);
    othersTakeOver(1_000);
    assertThat(claim(old, restored(old, old, 1))).isInstanceOf(Ownership.Fenced.class);
    assertThat(claim(id(), restored(old, old, 1))).isInstanceOf(Ownership.Rewound.class);
  }

  /** A job that failed at each of many starts is started once more from the same savepoint. */
  @Test
  void aSavepointOfAnOwnerOfWhomOnlyTheMarkIsLeftCanBeRestored() {
    UUID first = id();
    take(first, new Claim.Fresh());
    publish(1);
    UUID second = id();
    take(second, restored(first, first, 1));
    for (int i = 0; i < 20; i++) {
      take(id(), restored(first, second, 2));
    }
    assertThat(claim(id(), restored(first, second, 2))).isInstanceOf(Ownership.Take.class);
    publish(3);
    assertThat(claim(id(), restored(first, second, 3))).isInstanceOf(Ownership.Rewound.class);
  }

  /** An owner's own id names its first lineage, and never another one after it. */
  @Test
  void aLineageIsNotBornTwice() {
    UUID owner = id();
    take(owner, new Claim.Fresh());
    for (int i = 1; i < 10; i++) {
      publish(1);
      Ownership.Verdict verdict =
          Ownership.claim(entry, claimOf(owner, new Claim.Fresh()), OnRewind.APPEND, 0, this::id);
      entry = Optional.of(((Ownership.Take) verdict).entry());
      assertThat(entry.get().currentLineage().id()).isNotEqualTo(owner);
      assertThat(entry.get().currentLineage().sequence()).isZero();
    }
  }

  private void othersTakeOver(int count) {
    for (int i = 0; i < count; i++) {
      take(id(), new Claim.Fresh());
      publish(1);
    }
  }

  private void take(UUID owner, Claim.Start start) {
    entry = Optional.of(((Ownership.Take) claim(owner, start)).entry());
  }

  private Ownership.Verdict claim(UUID owner, Claim.Start start) {
    return Ownership.claim(entry, claimOf(owner, start), OnRewind.FAIL, 0, this::id);
  }

  private static Claim claimOf(UUID owner, Claim.Start start) {
    return new Claim("p", owner, "a job", start);
  }

  private static Claim.Restored restored(UUID lineage, UUID takenBy, long sequence) {
    return new Claim.Restored(lineage, takenBy, sequence);
  }

  private void publish(long sequence) {
    ProducerEntry known = entry.orElseThrow();
    entry =
        Optional.of(
            known.withLineage(
                new Lineage(
                    known.currentLineage().id(),
                    sequence,
                    Optional.of(known.currentOwner().id()),
                    1,
                    ByteString.EMPTY,
                    1),
                1));
  }

  private UUID id() {
    return new UUID(random.nextLong(), random.nextLong());
  }
}
