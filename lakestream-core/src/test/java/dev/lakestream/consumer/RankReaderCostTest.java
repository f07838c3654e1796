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
package dev.lakestream.consumer;

import static dev.lakestream.consumer.ReaderFixtures.EAGER;
import static dev.lakestream.consumer.ReaderFixtures.expected;
import static dev.lakestream.consumer.ReaderFixtures.read;
import static dev.lakestream.consumer.ReaderFixtures.reader;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which requests a rank makes, how many bytes it moves, and how far it reads ahead. */
class RankReaderCostTest {

  @Test
  void aBundleCostsOneRangeForTheRankAndOneFooterUnlessThereIsAStride() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream.even(store, new Mesh(4, 2), 24).commit(8, 8, 8).commit(8);
    assertThat(requestsOf(store, 32)).isEqualTo(new Cost(4, 0));

    FaultyStore uneven = FaultyStore.inMemory();
    WrittenStream.uneven(uneven, new Mesh(4, 2)).commit(8, 8, 8).commit(8);
    assertThat(requestsOf(uneven, 32)).isEqualTo(new Cost(8, 0));
  }

  private record Cost(long reads, long others) {}

  private static Cost requestsOf(FaultyStore store, int steps) {
    store.log().clear();
    try (RankReader reader = RankReader.open(store, RankPosition.of(4, 2, 3, 1))) {
      read(reader, steps);
    }
    long all = store.log().requests().stream().filter(r -> r.key().startsWith("data/")).count();
    long reads = store.log().count(Op.READ, "data/");
    return new Cost(reads, all - reads);
  }

  @Test
  void aRankMovesNoMoreBytesThanItsOwnSections() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream.even(store, new Mesh(16, 1), 10_000).commit(4);
    store.log().clear();
    try (RankReader reader = RankReader.open(store, RankPosition.of(16, 1, 9, 0))) {
      read(reader, 4);
    }
    assertThat(store.log().bytesDown("data/")).isBetween(40_000L, 41_000L);
  }

  @Test
  void openingReadsNoDataBeforeItIsAskedFor() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1)).commit(3, 3);
    store.log().clear();
    Cursor cursor = new Cursor(written.stream().id(), 1, 4, new Mesh(1, 1));
    try (RankReader reader =
        RankReader.resume(written.stream(), RankPosition.of(1, 1, 0, 0), cursor, EAGER)) {
      assertThat(store.log().bytesDown("data/")).isZero();
      assertThat(reader.next().step()).isEqualTo(4);
    }
  }

  @Test
  void newManifestsAreFollowedByShortReadsOfTheirEnds() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.uneven(store, new Mesh(1, 1));
    for (int i = 0; i < 40; i++) {
      written.commit(1);
    }
    try (RankReader reader = reader(written, 1, 1, 0, 0)) {
      read(reader, 40);
      store.log().clear();
      for (int i = 0; i < 5; i++) {
        written.commit(2);
        assertThat(read(reader, 2)).isEqualTo(expected(40 + 2 * i, 42 + 2 * i, 0, 0));
      }
      assertThat(store.log().count(Op.READ, StreamKeys.MANIFEST_PREFIX)).isZero();
    }
  }

  @Test
  void aSectionLargerThanTheMemoryIsReadInParts() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 1000).commit(20);
    store.log().clear();
    ReaderSettings small = EAGER.withPrefetch(8, 6000);
    try (RankReader reader =
        RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), small)) {
      for (int step = 0; step < 20; step++) {
        assertThat(reader.next().slice().bytes())
            .isEqualTo(ByteBuffer.wrap(WrittenStream.bytes(step, 0, 0, 1000)));
      }
    }
    // The table, and 20 slices in threes.
    assertThat(store.log().count(Op.READ, "data/")).isEqualTo(1 + 7);
  }

  @Test
  void prefetchStopsAtItsBounds() {
    FaultyStore store = FaultyStore.inMemory();
    WrittenStream written =
        WrittenStream.even(store, new Mesh(1, 1), 1000).commit(1, 1, 1, 1, 1, 1, 1, 1);
    for (ReaderSettings settings :
        List.of(EAGER.withPrefetch(3, 1 << 20), EAGER.withPrefetch(100, 3500))) {
      store.log().clear();
      try (RankReader reader =
          RankReader.open(written.stream(), RankPosition.of(1, 1, 0, 0), settings)) {
        for (int step = 0; step < 8; step++) {
          reader.next();
          // At most three are under way or ready, beside those that have been delivered.
          assertThat(store.log().count(Op.READ, "data/")).isLessThanOrEqualTo(step + 1 + 3);
          assertThat(reader.stats().fetches()).isLessThanOrEqualTo(3);
          assertThat(reader.stats().fetchedBytes()).isLessThanOrEqualTo(3500);
        }
      }
    }
  }
}
