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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ManifestLogTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://test", time);
  private final FaultyStore store = new FaultyStore(memory, time);
  private final Chain chain = new Chain(store, time);
  private final ManifestLog log = TrainingStream.open(store, time).log();

  // ---- finding the newest ----

  @Test
  void theNewestIsFoundFromNothing() {
    assertThat(log.newest()).isEqualTo(chain.first());
    Manifest head = chain.grow(chain.first(), 40);
    assertThat(log.newest()).isEqualTo(head);
  }

  @Test
  void theNewestIsFoundFromAnyKnownOne() {
    Manifest known = chain.first();
    Manifest head = chain.grow(known, 40);
    while (known.version() < head.version()) {
      assertThat(log.newest(known)).isEqualTo(head);
      known = log.at(known.version() + 1).orElseThrow();
    }
    assertThat(log.newest(head)).isSameAs(head);
  }

  @Test
  void whoIsUpToDateLearnsItWithOneRequest() {
    Manifest head = chain.grow(chain.first(), 3);
    store.log().clear();
    log.newest(head);
    assertThat(store.log().count()).isEqualTo(1);
  }

  @Test
  void whoIsOneBehindReadsAShortSuffix() {
    Manifest known = chain.grow(chain.first(), 60);
    Manifest head = chain.grow(known);
    store.log().clear();
    assertThat(log.newest(known)).isEqualTo(head);
    assertThat(store.log().count(Op.READ_SUFFIX)).isEqualTo(2);
    assertThat(store.log().count(Op.LIST)).isEqualTo(1);
    assertThat(store.log().bytesDown("manifest/")).isLessThanOrEqualTo(8 * 1024);
  }

  @Test
  void whoIsFarBehindJumps() {
    Manifest known = chain.first();
    Manifest head = chain.grow(known, 400);
    store.log().clear();
    assertThat(log.newest(known)).isEqualTo(head);
    assertThat(store.log().count()).isLessThan(20);
  }

  @Test
  void findingTheHeadCostsTheSameAfterReclamationHoweverLongTheStreamHasBeen() {
    Manifest young = chain.grow(chain.first(), 10);
    store.log().clear();
    assertThat(log.newest()).isEqualTo(young);
    long cost = store.log().count();

    Manifest old = chain.grow(young, 3000);
    chain.reclaim(0, old.version() - 10);
    store.log().clear();
    assertThat(log.newest()).isEqualTo(old);
    assertThat(store.log().count()).isEqualTo(cost);
  }

  @Test
  void aStaleListingDoesNotHideNewerManifests() {
    Manifest head = chain.grow(chain.first(), 6);
    store.on(Op.LIST).times(1).answer(Answer.staleListing(3));
    assertThat(log.newest()).isEqualTo(head);
  }

  @Test
  void aListingFromBeforeTheStreamDelaysOnly() {
    Manifest head = chain.grow(chain.first(), 20);
    store.on(Op.LIST).times(3).answer(Answer.staleListing(100));
    assertThat(log.newest()).isEqualTo(head);
  }

  @Test
  void aListingOfManifestsThatHaveBeenReclaimedDelaysOnly() {
    Manifest head = chain.grow(chain.first(), 50);
    chain.reclaim(0, 45);
    store.on(Op.LIST).times(2).answer(Answer.staleListing(60));
    assertThat(log.newest()).isEqualTo(head);
  }

  @Test
  void aNumberThatWasFreedAndTakenByASleeperIsNotTheHeadThoughAnOldListingSaysSo() {
    Manifest base = chain.grow(chain.first(), 4);
    Manifest head = chain.grow(base, 30);
    chain.reclaim(0, 30);
    chain.grow(base); // an orphan, number 5
    int changesSinceFiveWasTheHead = 29 + 30 + 1;
    store.on(Op.LIST).times(1).answer(Answer.staleListing(changesSinceFiveWasTheHead));
    assertThat(log.newest()).isEqualTo(head);
  }

  @Test
  void aStreamWithoutManifestsIsAnError() {
    chain.reclaim(0, 1);
    assertThatThrownBy(log::newest)
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("has no manifest that can be believed")
        .hasMessageContaining("mem://test");
  }

  // ---- what is live (invariant I8) ----

  @Test
  void theHeadIsLive() {
    Manifest head = chain.grow(chain.first(), 3);
    assertThat(log.isLive(head)).isTrue();
    assertThat(log.isHead(head)).isTrue();
  }

  @Test
  void aManifestBeforeItsChildIsLiveAndNotTheHead() {
    Manifest middle = chain.grow(chain.first(), 3);
    chain.grow(middle, 2);
    assertThat(log.isLive(middle)).isTrue();
    assertThat(log.isHead(middle)).isFalse();
    chain.reclaim(0, 3);
    assertThat(log.isLive(middle)).isTrue();
  }

  @Test
  void aNumberBelowTheLiveRunIsNotLive() {
    Manifest base = chain.first();
    chain.grow(base, 30);
    chain.reclaim(0, 20);
    assertThat(log.isLive(chain.grow(base))).isFalse();
  }

  @Test
  void aNumberJustBelowTheLiveRunIsNotLiveBecauseTheNextNamesAnotherParent() {
    Manifest base = chain.grow(chain.first(), 4);
    chain.grow(base, 10);
    chain.reclaim(0, 6);
    Manifest orphan = chain.grow(base); // number 5; the live run begins at 6
    assertThat(log.isLive(orphan)).isFalse();
  }

  @Test
  void aReclaimedManifestIsNotLive() {
    Manifest base = chain.grow(chain.first(), 4);
    chain.grow(base, 10);
    chain.reclaim(0, 8);
    assertThat(log.isLive(base)).isFalse();
    assertThat(time.slept()).isZero();
  }

  @Test
  void aListingThatDoesNotShowTheManifestYetIsAskedForAgain() {
    Manifest head = chain.grow(chain.first(), 3);
    store.on(Op.LIST).times(2).answer(Answer.staleListing(1));
    assertThat(log.isLive(head)).isTrue();
    assertThat(time.slept()).isPositive();
  }

  @Test
  void listingsThatStayStaleProveNothing() {
    Manifest head = chain.grow(chain.first(), 3);
    store.on(Op.LIST).answer(Answer.staleListing(1));
    assertThat(log.isLive(head)).isFalse();
  }

  // ---- readers that slept ----

  @Test
  void aReaderThatSleptAndFindsNothingLearnsItFromAListing() {
    Manifest known = chain.grow(chain.first(), 3);
    chain.grow(known, 30);
    chain.reclaim(0, 20);
    assertThat(log.newest(known)).isSameAs(known);
    assertThat(log.isHead(known)).isFalse();
  }

  @Test
  void aReaderThatSleptAndFindsASleepersManifestIsToldThatItsPositionWasReclaimed() {
    Manifest known = chain.grow(chain.first(), 3);
    chain.grow(known, 30);
    chain.reclaim(0, 20);
    chain.grow(known);
    assertThatThrownBy(() -> log.newest(known))
        .isInstanceOf(ReclaimedException.class)
        .hasMessageContaining("Manifest 3 of mem://test");
  }

  @Test
  void aReaderThatSleptThroughReclamationAndFindsTheLiveRunInItsPathIsTold() {
    Manifest known = chain.grow(chain.first(), 3);
    Manifest orphanParent = chain.grow(known, 2);
    chain.grow(orphanParent, 30);
    chain.reclaim(0, 5);
    chain.grow(known); // an orphan, number 4; number 5 is live and has another parent
    assertThatThrownBy(() -> log.newest(known)).isInstanceOf(ReclaimedException.class);
  }

  // ---- chains that break (invariant I6) ----

  @Test
  void anOverwrittenManifestBreaksTheChainWhereTheNextIsRead() {
    Manifest base = chain.grow(chain.first(), 3);
    Manifest overwritten = chain.grow(base);
    chain.grow(overwritten);
    Manifest other = chain.childOf(base);
    chain.overwrite(other, base);

    assertThat(log.at(4)).contains(other);
    assertThat(log.isLive(other)).isFalse();
    assertThatThrownBy(() -> log.newest(other))
        .isInstanceOf(ReclaimedException.class)
        .hasMessageContaining("names another parent");
    assertThatThrownBy(() -> log.newest(base)).isInstanceOf(ReclaimedException.class);
  }

  @Test
  void aManifestUnderAWrongNumberIsRefused() {
    chain.grow(chain.first(), 3);
    Futures.await(
        memory.put(StreamKeys.manifest(4), Payload.of(memory.bytes(StreamKeys.manifest(3)))));
    assertThatThrownBy(() -> log.at(4))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("Manifest 4 of mem://test states version 3");
    Manifest third = log.at(3).orElseThrow();
    assertThatThrownBy(() -> log.newest(third)).isInstanceOf(CorruptObjectException.class);
  }

  @Test
  void aManifestOfAnotherStreamIsRefused() {
    StreamInfo other =
        new StreamInfo(new UUID(9, 9), 0, Chain.INFO.defaultMesh(), "raw", "", Map.of());
    byte[] foreign =
        ManifestCodec.encode(Manifest.first(other, new UUID(3, 3)), java.util.Optional.empty());
    Futures.await(memory.put(StreamKeys.manifest(0), Payload.of(foreign)));
    assertThatThrownBy(() -> log.at(0))
        .isInstanceOf(StreamDroppedException.class)
        .hasMessageContaining("belongs to stream " + other.id());
  }

  @Test
  void aDamagedManifestIsNamed() {
    chain.grow(chain.first(), 3);
    byte[] bytes = memory.bytes(StreamKeys.manifest(3));
    bytes[40] ^= 1;
    Futures.await(memory.put(StreamKeys.manifest(3), Payload.of(bytes)));
    assertThatThrownBy(log::newest)
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("Manifest 3 of mem://test");
  }

  @Test
  void aManifestThatDoesNotFitOneSuffixReadIsReadWhole() {
    Manifest base = chain.first();
    NextManifest next = new NextManifest(base, "takeover");
    for (int i = 0; i < 1500; i++) {
      UUID owner = new UUID(i, i);
      next.producer(ProducerEntry.of("producer-" + i, new Owner(owner, owner, "a job", 0), 0));
    }
    Manifest large = TrainingStream.open(store, time).seal(next, new UUID(4, 4));
    Futures.await(log.create(1, log.encode(large, base)));
    assertThat(memory.bytes(StreamKeys.manifest(1)).length).isGreaterThan(96 * 1024);
    assertThat(log.newest()).isEqualTo(large);
    assertThat(log.newest(base)).isEqualTo(large);
    assertThat(log.isLive(base)).isTrue();
  }
}
