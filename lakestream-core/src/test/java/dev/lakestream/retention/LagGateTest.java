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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class LagGateTest {

  private static final Mesh MESH = new Mesh(2, 1);

  private final VirtualTime time = new VirtualTime();
  private final FaultyStore store = new FaultyStore(new MemoryStore(), time);
  private final WrittenStream written = WrittenStream.even(store, MESH, 4).commit(10);
  private final TrainingStream stream = TrainingStream.open(store, time);

  private LagGate gate(long maxLag) {
    return new LagGate(
        stream, new LagSettings(maxLag, Duration.ofSeconds(1), Duration.ofMinutes(5)));
  }

  private void consumer(String group, int rank, int world, long step) {
    new RankRecorder(stream, group, rank, world, 0, 1)
        .record(new Cursor(stream.id(), 1, step, MESH));
  }

  @Test
  void itAdmitsUpToMaxLagCountingWhatIsUnderWay() {
    consumer("train", 0, 1, 4);
    LagGate gate = gate(8);
    assertThat(gate.admits(0)).isFalse(); // nothing is known yet
    gate.await(() -> 0);
    assertThat(gate.lag()).isEqualTo(6);
    assertThat(gate.admits(1)).isTrue();
    assertThat(gate.admits(2)).isFalse();
  }

  @Test
  void itLetsGoByItselfWhenTheSlowestRankAdvances() {
    consumer("train", 0, 2, 10);
    consumer("train", 1, 2, 2);
    LagGate gate = gate(8);
    int[] asked = {0};
    gate.await(
        () -> {
          if (++asked[0] == 10) {
            consumer("train", 1, 2, 3);
          }
          return 0;
        });
    assertThat(asked[0]).isGreaterThanOrEqualTo(10);
    assertThat(gate.lag()).isEqualTo(7);
  }

  @Test
  void itGivesUpNamingTheSlowestGroupAndRank() {
    consumer("train", 0, 2, 9);
    consumer("train", 1, 2, 2);
    consumer("replay", 0, 1, 5);
    assertThatThrownBy(() -> gate(8).await(() -> 0))
        .isInstanceOfSatisfying(
            LagTimeoutException.class, e -> assertThat(e.slowest()).map(Hold::rank).contains(1))
        .hasMessageContaining("rank 1 of group \"train\"")
        .hasMessageContaining("at step 2")
        .hasMessageContaining("max_lag is 8");
    assertThat(time.slept()).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void aWatermarkThatMovesTooLittlePutsTheTimeoutOff() {
    consumer("train", 0, 1, 0);
    LagGate gate = gate(2);
    long[] step = {0};
    Duration[] moved = {Duration.ZERO};
    gate.await(
        () -> {
          if (time.slept().minus(moved[0]).compareTo(Duration.ofMinutes(4)) > 0) {
            moved[0] = time.slept();
            consumer("train", 0, 1, ++step[0]);
          }
          return 0;
        });
    assertThat(time.slept()).isGreaterThan(Duration.ofMinutes(30));
    assertThat(gate.lag()).isEqualTo(1);
  }

  @Test
  void withoutAnyConsumerTheFirstStepHeldCounts() {
    assertThatThrownBy(() -> gate(8).await(() -> 0))
        .isInstanceOfSatisfying(LagTimeoutException.class, e -> assertThat(e.slowest()).isEmpty())
        .hasMessageContaining("no consumer has recorded");
    written.trim(5);
    LagGate gate = gate(8);
    gate.await(() -> 0);
    assertThat(gate.lag()).isEqualTo(5);
  }

  @Test
  void aTagDoesNotStopProducers() {
    new Tags(stream).create("for-ever", 0, 1, "");
    consumer("train", 0, 1, 10);
    LagGate gate = gate(4);
    gate.await(() -> 0);
    assertThat(gate.lag()).isZero();
  }

  @Test
  void anotherProducersStepsCount() {
    consumer("train", 0, 1, 10);
    LagGate gate = gate(8);
    gate.await(() -> 0);
    written.commit(8);
    time.pass(Duration.ofSeconds(2));
    assertThat(gate.admits(0)).isFalse();
    assertThatThrownBy(() -> gate.await(() -> 0)).isInstanceOf(LagTimeoutException.class);
  }

  @Test
  void whileThereIsRoomWatermarksAreReadOnceAMinute() {
    consumer("train", 0, 1, 10);
    LagGate gate = gate(8);
    store.log().clear();
    for (int second = 0; second < 119; second++) {
      gate.await(() -> 0);
      time.pass(Duration.ofSeconds(1));
    }
    assertThat(store.log().count(Op.LIST, "watermark/")).isEqualTo(2);
    assertThat(store.log().count(Op.READ_SUFFIX, "manifest/")).isLessThan(130);
  }

  @Test
  void whileThereIsNoneTheyAreReadOnceAPoll() {
    consumer("train", 0, 1, 0);
    store.log().clear();
    assertThatThrownBy(() -> gate(8).await(() -> 0)).isInstanceOf(LagTimeoutException.class);
    assertThat(store.log().count(Op.LIST, "watermark/")).isBetween(250L, 310L);
  }

  @Test
  void aFailureOfTheStoreIsThrownAndItMayBeAskedAgain() {
    consumer("train", 0, 1, 10);
    LagGate gate = gate(8);
    store
        .on(Op.LIST, key -> key.equals("watermark/"))
        .times(1)
        .answer(dev.lakestream.store.Answer.fail(Fault.DENIED));
    assertThatThrownBy(() -> gate.await(() -> 0)).isInstanceOf(StoreException.class);
    gate.await(() -> 0);
    assertThat(gate.admits(0)).isTrue();
  }

  @Test
  void aCallerThatMustNotBlockIsToldLater() {
    TrainingStream realTime = TrainingStream.open(store);
    consumer("train", 0, 1, 0);
    LagGate gate =
        new LagGate(realTime, new LagSettings(8, Duration.ofMillis(5), Duration.ofMinutes(1)));
    CompletableFuture<Void> admission = gate.admission(() -> 0);
    await().until(() -> gate.lag() == 10);
    assertThat(admission).isNotDone();
    consumer("train", 0, 1, 9);
    await().until(admission::isDone);
    assertThat(admission).isCompletedWithValue(null);
  }

  @Test
  void aCallerThatMustNotBlockIsToldOfTheTimeoutToo() {
    CompletableFuture<Void> admission = gate(8).admission(() -> 0);
    assertThatThrownBy(admission::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(LagTimeoutException.class);
  }
}
