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
package dev.lakestream.store;

import static dev.lakestream.store.ObjectStoreContract.assertFault;
import static dev.lakestream.store.ObjectStoreContract.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryingStoreTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore();
  private final FaultyStore faulty = new FaultyStore(memory, time);
  private final StoreMetrics metrics = new StoreMetrics();
  private final ObjectStore store = retrying(1);

  private RetryingStore retrying(long seed) {
    return RetryingStore.around(faulty)
        .time(time)
        .scheduler(new InlineScheduler(time))
        .jitter(new Random(seed))
        .metrics(metrics)
        .build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Op.class,
      names = {"CREATE"},
      mode = EnumSource.Mode.EXCLUDE)
  void everyRequestButACreateIsRepeatedUntilItSucceeds(Op op) {
    put("k");
    faulty.on(op).times(3).answer(Answer.serverError());
    faulty.on(op).times(2).answer(Answer.slowDown());
    long before = metrics.attempts();
    request(op);
    assertThat(faulty.log().count(op)).isEqualTo(op == Op.PUT ? 7 : 6);
    assertThat(metrics.attempts() - before).isEqualTo(6);
    assertThat(metrics.retries()).isEqualTo(5);
    assertThat(metrics.transientFaults()).isEqualTo(3);
    assertThat(metrics.throttles()).isEqualTo(2);
    assertThat(metrics.exhausted()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Op.class)
  void whatIsPermanentFailsAtOnce(Op op) {
    faulty.on(op).answer(Answer.denied());
    assertFault(Fault.DENIED, () -> request(op));
    assertThat(faulty.log().count(op)).isEqualTo(1);
    assertThat(time.slept()).isZero();
  }

  @Test
  void aCreateIsNeverRepeatedBecauseItsOutcomeIsTheCommitLoopsToResolve() {
    faulty.on(Op.CREATE).times(1).answer(Answer.lostReply());
    assertFault(Fault.TRANSIENT, () -> request(Op.CREATE));
    assertThat(faulty.log().count(Op.CREATE)).isEqualTo(1);
    assertThat(memory.keys()).containsExactly("k");
    faulty.on(Op.CREATE).times(1).answer(Answer.slowDown());
    assertFault(Fault.THROTTLED, () -> request(Op.CREATE));
    assertThat(metrics.transientFaults()).isEqualTo(1);
    assertThat(metrics.throttles()).isEqualTo(1);
  }

  @Test
  void theBudgetIsOneOfTimeAndTheErrorSaysSo() {
    faulty.on(Op.READ).answer(Answer.slowDown());
    long start = time.nanoTime();
    assertThatThrownBy(() -> request(Op.READ))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.THROTTLED))
        .hasMessageContaining("retry.max-elapsed = 180.0 s")
        .hasMessageContaining(faulty.log().count(Op.READ) + " attempts")
        .hasMessageContaining("'k' at mem://test")
        .hasMessageContaining("injected THROTTLED");
    // The last attempt falls on the end of the budget.
    assertThat(Duration.ofNanos(time.nanoTime() - start)).isEqualTo(Duration.ofMinutes(3));
    assertThat(faulty.log().count(Op.READ)).isBetween(25L, 120L);
    assertThat(metrics.exhausted()).isEqualTo(1);
  }

  @Test
  void aStormOfThirtySecondsIsSatOutWithGrowingWaits() {
    put("k");
    faulty.on(Op.READ).during(Duration.ofSeconds(30)).answer(Answer.slowDown());
    request(Op.READ);
    assertThat(faulty.log().count(Op.READ)).isBetween(6L, 40L);
  }

  @Test
  void aSlowFailureCountsAgainstTheBudget() {
    faulty.on(Op.READ).answer(slowFailure(Duration.ofSeconds(70)));
    assertFault(Fault.TRANSIENT, () -> request(Op.READ));
    assertThat(faulty.log().count(Op.READ)).isEqualTo(3);
  }

  @Test
  void theSameSeedWaitsTheSameAndAnotherDoesNot() {
    assertThat(waits(7)).isEqualTo(waits(7)).isNotEqualTo(waits(8));
  }

  @Test
  void waitsAreJitteredOverTheWholeRangeAndDoubleUpToTheirLimit() {
    List<Duration> all = new ArrayList<>();
    for (int seed = 0; seed < 200; seed++) {
      all.addAll(waits(seed).subList(0, 1));
    }
    assertThat(all).allMatch(wait -> wait.compareTo(Duration.ofMillis(100)) <= 0);
    assertThat(all).anyMatch(wait -> wait.compareTo(Duration.ofMillis(10)) < 0);
    assertThat(all).anyMatch(wait -> wait.compareTo(Duration.ofMillis(90)) > 0);
    assertThat(waits(1)).allMatch(wait -> wait.compareTo(Duration.ofSeconds(10)) <= 0);
    assertThat(waits(1)).anyMatch(wait -> wait.compareTo(Duration.ofSeconds(5)) > 0);
  }

  @Test
  void withoutABudgetNothingIsRepeated() {
    ObjectStore once = RetryingStore.around(faulty).maxElapsed(Duration.ZERO).build();
    faulty.on(Op.LENGTH).answer(Answer.serverError());
    assertFault(Fault.TRANSIENT, () -> await(once.length("k")));
    assertThat(faulty.log().count(Op.LENGTH)).isEqualTo(1);
  }

  @Test
  void nothingIsRepeatedOnceTheStoreIsClosed() {
    faulty.on(Op.READ).answer(closing(store, Answer.serverError()));
    assertThatThrownBy(() -> request(Op.READ)).hasMessageContaining("the store was closed (1 att");
    assertThat(faulty.log().count(Op.READ)).isEqualTo(1);
    assertThat(time.slept()).isZero();
  }

  @Test
  void aRequestThatWaitsToBeRepeatedWhenTheStoreIsClosedIsNotSentAgain() {
    InlineScheduler inline = new InlineScheduler(time);
    AtomicReference<ObjectStore> waiting = new AtomicReference<>();
    waiting.set(
        RetryingStore.around(faulty)
            .time(time)
            .scheduler(
                (task, delay, unit) -> {
                  if (delay > 0) {
                    waiting.get().close();
                  }
                  return inline.schedule(task, delay, unit);
                })
            .build());
    faulty.on(Op.READ).answer(Answer.slowDown());
    assertThatThrownBy(() -> await(waiting.get().read("k", 0, 1)))
        .hasMessageContaining("the store was closed (1 attempts")
        .hasMessageContaining("injected THROTTLED");
    assertThat(faulty.log().count(Op.READ)).isEqualTo(1);
  }

  @Test
  void realTimeWorksWithoutBlockingTheCaller() {
    put("k");
    ObjectStore real =
        RetryingStore.around(faulty)
            .options(Map.of("retry.initial-backoff", "1 ms", "retry.max-backoff", "PT0.005S"))
            .build();
    faulty.on(Op.LENGTH).times(5).answer(Answer.serverError());
    assertThat(await(real.length("k"))).isEqualTo(1);
  }

  @Test
  void backoffsThatContradictEachOtherAreRefused() {
    assertThatThrownBy(
            () ->
                RetryingStore.around(faulty)
                    .options(Map.of("retry.initial-backoff", "20 s"))
                    .build())
        .hasMessageContaining("retry.max-backoff");
  }

  private List<Duration> waits(long seed) {
    List<Duration> waits = new ArrayList<>();
    Time recording =
        new Time() {
          @Override
          public long nanoTime() {
            return time.nanoTime();
          }

          @Override
          public long currentTimeMillis() {
            return time.currentTimeMillis();
          }

          @Override
          public void sleep(Duration duration) {
            waits.add(duration);
            time.sleep(duration);
          }
        };
    FaultyStore broken = FaultyStore.inMemory();
    broken.on(Op.DELETE).answer(Answer.serverError());
    ObjectStore patient =
        RetryingStore.around(broken)
            .time(recording)
            .scheduler(new InlineScheduler(recording))
            .jitter(new Random(seed))
            .build();
    assertFault(Fault.TRANSIENT, () -> await(patient.delete("k")));
    return waits;
  }

  private static Answer closing(ObjectStore store, Answer answer) {
    return request -> {
      store.close();
      return answer.to(request);
    };
  }

  private Answer slowFailure(Duration lasting) {
    return request -> {
      time.pass(lasting);
      return Answer.serverError().to(request);
    };
  }

  private void put(String key) {
    await(store.put(key, Payload.of(new byte[] {1})));
  }

  private void request(Op op) {
    switch (op) {
      case CREATE -> await(store.createIfAbsent("k", Payload.of(new byte[] {1})));
      case PUT -> put("k");
      case READ -> await(store.read("k", 0, 1));
      case READ_SUFFIX -> await(store.readSuffix("k", 1));
      case LENGTH -> await(store.length("k"));
      case LIST -> await(store.list("", "", 1));
      case DELETE -> await(store.delete("k"));
    }
  }
}
