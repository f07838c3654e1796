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
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.simulation.VirtualTime;
import org.junit.jupiter.api.Test;

class ConditionalCreateProbeTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore();
  private final FaultyStore faulty = new FaultyStore(memory, time);

  @Test
  void aStoreThatIgnoresTheConditionIsRefused() {
    faulty.on(Op.CREATE).answer(Answer.ignoreCondition());
    assertThatThrownBy(this::probe)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.UNSAFE))
        .hasMessageContaining("mem://test")
        .hasMessageContaining("twice")
        .hasMessageContaining("Use a store");
    assertThat(memory.keys()).isEmpty();
  }

  @Test
  void aStoreThatHoldsTheConditionOnlyWhileNobodyRacesIsRefused() {
    faulty.on(Op.CREATE).answer(Answer.severalWinners());
    assertThatThrownBy(this::probe)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.UNSAFE))
        .hasMessageContaining("at once");
    assertThat(memory.keys()).isEmpty();
  }

  @Test
  void aStoreThatSaysTakenAndOverwritesIsRefused() {
    faulty
        .on(Op.CREATE)
        .after(1)
        .answer(request -> request.overwrite().thenApply(created -> CreateOutcome.EXISTS));
    assertFault(Fault.UNSAFE, this::probe);
  }

  @Test
  void faultsThatLeaveTheOutcomeOpenDecideNothing() {
    faulty.on(Op.CREATE).times(1).answer(Answer.lostReply());
    faulty.on(Op.CREATE).times(1).answer(Answer.slowDown());
    faulty.on(Op.CREATE).after(3).times(6).answer(Answer.conflict());
    faulty.on(Op.READ).times(1).answer(Answer.shortReply());
    probe();
    assertThat(memory.keys()).isEmpty();
  }

  @Test
  void aStoreThatNeverDecidesIsReportedAsSuch() {
    faulty.on(Op.CREATE).answer(Answer.conflict());
    assertFault(Fault.TRANSIENT, this::probe);
  }

  @Test
  void aDenialPassesThrough() {
    faulty.on(Op.CREATE).answer(Answer.denied());
    assertFault(Fault.DENIED, this::probe);
    faulty.heal();
    faulty.on(Op.CREATE).after(4).answer(Answer.denied());
    assertFault(Fault.DENIED, this::probe);
  }

  @Test
  void aFailedCleaningUpDoesNotSpoilTheResult() {
    faulty.on(Op.DELETE).answer(Answer.denied());
    probe();
    assertThat(memory.keys()).isNotEmpty().allMatch(key -> key.startsWith("probe/"));
  }

  @Test
  void theProbeIsCheap() {
    probe();
    assertThat(faulty.log().count()).isLessThan(60);
  }

  private void probe() {
    ConditionalCreateProbe.check(faulty, time);
  }
}
