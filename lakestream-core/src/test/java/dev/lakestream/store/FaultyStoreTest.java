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

import dev.lakestream.simulation.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://faulty", time);
  private final FaultyStore store = new FaultyStore(memory, time);

  @Test
  void aRuleAnswersAsOftenAsItWasTold() {
    store.on(Op.CREATE, key -> key.equals("b")).after(1).times(2).answer(Answer.conflict());
    assertThat(create("a")).isEqualTo(CreateOutcome.CREATED);
    assertThat(create("b")).isEqualTo(CreateOutcome.CREATED);
    assertThat(create("b")).isEqualTo(CreateOutcome.TRY_AGAIN);
    assertThat(create("b")).isEqualTo(CreateOutcome.TRY_AGAIN);
    assertThat(create("b")).isEqualTo(CreateOutcome.EXISTS);
  }

  @Test
  void aRuleEndsWithItsPeriod() {
    store.on(Op.CREATE).during(Duration.ofSeconds(60)).answer(Answer.conflict());
    assertThat(create("a")).isEqualTo(CreateOutcome.TRY_AGAIN);
    time.pass(Duration.ofSeconds(59));
    assertThat(create("a")).isEqualTo(CreateOutcome.TRY_AGAIN);
    time.pass(Duration.ofSeconds(1));
    assertThat(create("a")).isEqualTo(CreateOutcome.CREATED);
  }

  @Test
  void aLostReplyWasAppliedAndAnErrorWasNot() {
    store.on(Op.CREATE, key -> key.equals("lost")).answer(Answer.lostReply());
    store.on(Op.CREATE, key -> key.equals("failed")).answer(Answer.serverError());
    assertFault(Fault.TRANSIENT, () -> create("lost"));
    assertFault(Fault.TRANSIENT, () -> create("failed"));
    assertThat(memory.keys()).containsExactly("lost");
  }

  @Test
  void aLateRequestIsAppliedWhenOthersHavePassedOrOnDemand() {
    byte[] content = {1};
    store.on(Op.PUT).times(1).answer(Answer.appliedLate(2));
    assertFault(Fault.TRANSIENT, () -> await(store.put("a", Payload.of(content))));
    content[0] = 2; // the caller uses its buffer again
    await(store.put("a", Payload.of(new byte[] {3})));
    await(store.put("x", Payload.of(content)));
    assertThat(memory.bytes("a")).containsExactly(3);
    await(store.put("x", Payload.of(content)));
    assertThat(memory.bytes("a")).containsExactly(1);

    store.on(Op.CREATE).times(1).answer(Answer.appliedLate(1_000));
    assertFault(Fault.TRANSIENT, () -> create("b"));
    assertThat(store.heldRequests()).isEqualTo(1);
    store.deliverHeld();
    assertThat(memory.keys()).contains("b");
  }

  @Test
  void aDelayIsAddedToWhateverComesAfterIt() {
    store.on(Op.CREATE).answer(Answer.delay(Duration.ofMillis(20)));
    store.on(Op.CREATE).times(1).answer(Answer.slowDown());
    assertFault(Fault.THROTTLED, () -> create("a"));
    assertThat(create("a")).isEqualTo(CreateOutcome.CREATED);
    assertThat(time.slept()).isEqualTo(Duration.ofMillis(40));
  }

  @Test
  void aStaleListingShowsWhatWasThereBefore() {
    create("a");
    create("b");
    await(store.delete("a"));
    create("c");
    store.on(Op.LIST).times(1).answer(Answer.staleListing(1));
    assertThat(list(10)).containsExactly("b");
    store.on(Op.LIST).times(1).answer(Answer.staleListing(2));
    assertThat(list(10)).containsExactly("a", "b");
    store.on(Op.LIST).times(1).answer(Answer.staleListing(100));
    assertThat(list(10)).isEmpty();
    assertThat(list(10)).containsExactly("b", "c");
  }

  @Test
  void pagesAreTinyOrMixedAndHaveStrangeNeighbours() {
    for (int i = 0; i < 20; i++) {
      create("k" + (char) ('a' + i));
    }
    store.addNeighbour("k/", 0);
    store.on(Op.LIST).times(1).answer(Answer.pagesOf(3));
    assertThat(list(10)).containsExactly("k/", "ka", "kb");
    store.on(Op.LIST).answer(Answer.unordered(1));
    List<String> mixed = list(100);
    assertThat(mixed).hasSize(21).isNotEqualTo(mixed.stream().sorted().toList());
  }

  @Test
  void anObjectCanBeCutShortAndItsBytesSpoilt() {
    await(store.put("k", Payload.of(new byte[] {1, 2, 3, 4})));
    store.on(Op.READ).times(1).answer(Answer.corrupted());
    assertThat(await(store.read("k", 0, 4)).array()).containsExactly(1, 2, ~3, 4);
    store.on(Op.READ).answer(Answer.truncatedTo(2));
    store.on(Op.READ_SUFFIX).answer(Answer.truncatedTo(2));
    store.on(Op.LENGTH).answer(Answer.truncatedTo(2));
    assertThat(await(store.read("k", 0, 2)).array()).containsExactly(1, 2);
    assertFault(Fault.OUT_OF_RANGE, () -> await(store.read("k", 1, 2)));
    assertThat(await(store.readSuffix("k", 1)).bytes().array()).containsExactly(2);
    assertThat(await(store.length("k"))).isEqualTo(2);
  }

  @Test
  void theSameSeedMeetsTheSameFaults() {
    assertThat(outcomes(3)).isEqualTo(outcomes(3)).isNotEqualTo(outcomes(4));
    assertThat(outcomes(3)).contains("CREATED", "TRY_AGAIN", "TRANSIENT", "THROTTLED");
  }

  @Test
  void theLogTellsWhatATestHasToPay() {
    await(store.put("data/x", Payload.of(new byte[1_000])));
    await(store.read("data/x", 100, 50));
    await(store.readSuffix("data/x", 8));
    await(store.read("data/x", 0, 0));
    list(10);
    RequestLog log = store.log();
    assertThat(log.count()).isEqualTo(4);
    assertThat(log.count(Op.READ, "data/")).isEqualTo(1);
    assertThat(log.bytesUp("data/")).isEqualTo(1_000);
    assertThat(log.bytesDown("data/")).isEqualTo(58);
    assertThat(log.bytesDown("manifest/")).isZero();
  }

  private static String outcomes(long seed) {
    FaultyStore faulty = FaultyStore.inMemory();
    faulty.install(FaultPlan.seeded(seed, 0.05));
    StringBuilder outcomes = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      try {
        CreateOutcome outcome = await(faulty.createIfAbsent("k" + i, Payload.of(new byte[] {1})));
        outcomes.append(outcome).append(' ');
      } catch (StoreException e) {
        outcomes.append(e.fault()).append(' ');
      }
    }
    return outcomes.toString();
  }

  private CreateOutcome create(String key) {
    return await(store.createIfAbsent(key, Payload.of(new byte[] {1})));
  }

  private List<String> list(int limit) {
    return await(store.list("", "", limit)).objects().stream().map(Listing.Entry::key).toList();
  }
}
