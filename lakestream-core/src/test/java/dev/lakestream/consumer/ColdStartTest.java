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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.RequestLog;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the first step costs that a process reads. */
class ColdStartTest {

  private final FaultyStore store = FaultyStore.inMemory();

  @Test
  void theFirstStepTakesAListingTheManifestAndOneRange() {
    WrittenStream.even(store, new Mesh(4, 2), 64).commit(8, 8);
    TrainingStream stream = TrainingStream.open(store);
    store.log().clear();
    try (RankReader reader = RankReader.open(stream, RankPosition.of(4, 2, 1, 1))) {
      List<RequestLog.Request> opening = store.log().requests();
      // One after the other: the listing, then the head; beside it what confirms that it is one.
      assertThat(opening).extracting(RequestLog.Request::op).startsWith(Op.LIST, Op.READ_SUFFIX);
      assertThat(opening).hasSize(4);
      reader.next();
      assertThat(store.log().requests().get(4).key()).startsWith("data/");
      assertThat(store.log().requests().get(4).op()).isEqualTo(Op.READ);
      assertThat(store.log().requests().get(4).down()).isEqualTo(16 + 8 * 40 + 8 * 64);
    }
  }

  @Test
  void withoutAStrideTheFooterComesFirst() {
    WrittenStream.uneven(store, new Mesh(4, 2)).commit(8);
    TrainingStream stream = TrainingStream.open(store);
    store.log().clear();
    try (RankReader reader = RankReader.open(stream, RankPosition.of(4, 2, 1, 1))) {
      reader.next();
      assertThat(store.log().count(Op.READ, "data/")).isEqualTo(2);
      // Further requests may be looks for the next manifest.
      assertThat(store.log().requests().subList(4, 6))
          .allMatch(request -> request.key().startsWith("data/"));
    }
  }

  @Test
  void openingAStreamIsOneRequest() {
    WrittenStream.even(store, new Mesh(1, 1), 8);
    store.log().clear();
    TrainingStream.open(store);
    assertThat(store.log().count()).isEqualTo(1);
  }

  @Test
  void theHeadAndWhatConfirmsItAreAskedForAtOnce() {
    WrittenStream written = WrittenStream.even(store, new Mesh(1, 1), 8).commit(1);
    // The manifest is not answered before the other two have been asked for.
    AtomicInteger others = new AtomicInteger();
    String head = StreamKeys.manifest(written.head().version());
    String next = StreamKeys.manifest(written.head().version() + 1);
    var asked = new java.util.concurrent.CompletableFuture<Void>();
    store
        .on(Op.READ_SUFFIX, head::equals)
        .answer(request -> asked.thenCompose(done -> request.proceed()));
    Answer counted =
        request -> {
          if (others.incrementAndGet() == 3) { // the first listing, the next number, the second one
            asked.complete(null);
          }
          return request.proceed();
        };
    store.on(Op.READ_SUFFIX, next::equals).answer(counted);
    store.on(Op.LIST, key -> true).answer(counted);
    assertThat(TrainingStream.open(store).log().newest()).isEqualTo(written.head());
  }
}
