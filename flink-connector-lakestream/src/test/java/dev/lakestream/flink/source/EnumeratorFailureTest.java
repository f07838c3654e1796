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
package dev.lakestream.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.store.Answer;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Looks at the stream that fail. */
class EnumeratorFailureTest {

  private final EnumeratorHarness source = new EnumeratorHarness();
  private final TestStream stream = source.stream();

  @Test
  void looksThatFailAreRepeatedAndThenFailTheJob() {
    stream.append(1);
    source.start(
        builder ->
            builder
                .set(LakestreamSourceOptions.DISCOVERY_RETRIES, 2)
                .storeOptions(Map.of("retry.max-elapsed", "1 ms")));
    var faulty = MemoryStores.makeFaulty(stream.storeName());
    faulty.on(Op.READ_SUFFIX).answer(Answer.serverError());
    source.tick();
    source.tick();
    assertThatThrownBy(source::tick)
        .isInstanceOf(LakestreamException.class)
        .hasMessageContaining("3 looks in a row");
  }

  @Test
  void anEnumeratorThatHasFailedFailsOnlyOnceAndKeepsNoState() {
    stream.append(1);
    source.start();
    MemoryStores.makeFaulty(stream.storeName()).on(Op.READ_SUFFIX).answer(Answer.denied());
    assertThatThrownBy(source::tick).isInstanceOf(LakestreamException.class);
    source.tick();
    source.register(0);
    source.ask(0);
    assertThat(source.taken(0)).isEmpty();
    assertThatThrownBy(() -> source.enumerator().snapshotState(1))
        .isInstanceOf(IllegalStateException.class);
  }

  /** A hybrid source goes on to its next source with the same timers. */
  @Test
  void anEnumeratorThatWasClosedLooksNoMoreAndFailsNothing() {
    stream.append(1);
    source.start();
    var faulty = MemoryStores.makeFaulty(stream.storeName());
    faulty.on(Op.READ_SUFFIX).answer(Answer.denied());
    List<Runnable> underWay = source.context().beginTick();
    source.enumerator().close();
    underWay.forEach(Runnable::run);
    long requests = faulty.log().count();
    source.tick();
    assertThat(faulty.log().count()).isEqualTo(requests);
  }

  @Test
  void aLookThatSucceedsForgivesThoseBefore() {
    stream.append(1);
    source.start(
        builder ->
            builder
                .set(LakestreamSourceOptions.DISCOVERY_RETRIES, 1)
                .storeOptions(Map.of("retry.max-elapsed", "1 ms")));
    source.register(0);
    source.ask(0);
    var faulty = MemoryStores.makeFaulty(stream.storeName());
    for (int i = 0; i < 3; i++) {
      faulty.on(Op.READ_SUFFIX).answer(Answer.serverError());
      source.tick();
      faulty.heal();
      source.tick();
    }
    assertThat(source.taken(0)).hasSize(1);
  }

  @Test
  void aDeniedLookFailsTheJobAtOnce() {
    stream.append(1);
    source.start();
    MemoryStores.makeFaulty(stream.storeName()).on(Op.READ_SUFFIX).answer(Answer.denied());
    assertThatThrownBy(source::tick).isInstanceOf(LakestreamException.class);
  }
}
