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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the store may do to one commit, one fault at a time; all of them at once is simulated. */
class CommitLoopTest {

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore memory = new MemoryStore("mem://test", time);
  private final Chain chain = new Chain(memory, time);
  private final Participant a = new Participant("a", memory, time); // manifest 1

  // ---- 409: the store could not decide ----

  @Test
  void aConflictThatClearsIsTriedAgainUnderTheSameNumberAndIsNoLostRace() {
    a.store.on(Op.CREATE).times(2).answer(Answer.conflict());
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(a.metrics.attempts()).isEqualTo(1 + 3);
    assertThat(a.metrics.conflicts()).isZero();
    assertThat(a.metrics.retries()).isEqualTo(2);
    assertThat(time.slept()).isPositive();
    assertPublished(a);
  }

  @Test
  void aConflictThatNeverClearsFailsTheCommitByName() {
    a.store.on(Op.CREATE).answer(Answer.conflict());
    assertThatThrownBy(a::publish)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("Manifest 2")
        .hasMessageContaining("mem://test")
        .hasMessageContaining("409")
        .hasMessageContaining("2M")
        .hasMessageContaining("safe to try again");
    assertThat(a.metrics.conflicts()).isZero();
    assertThat(time.slept()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));

    a.store.heal();
    assertThat(a.publisher.publish(a.publication(1)).version()).isEqualTo(2);
    assertPublished(a);
  }

  @Test
  void aConflictOfAnotherKindIsAnUnknownOutcomeAndUsesTheSameNumber() {
    // 409 OperationAborted reaches the loop as a fault that may be tried again
    a.store.on(Op.CREATE).times(3).answer(Answer.serverError());
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(a.metrics.conflicts()).isZero();
    assertThat(a.metrics.unknownOutcomes()).isEqualTo(3);
  }

  // ---- lost replies ----

  @Test
  void lostReplyOfAnAppliedCreateIsRecognised() {
    a.store.on(Op.CREATE).times(1).answer(Answer.lostReply());
    Publisher.Published published = a.publish();
    assertThat(published.published()).isTrue();
    assertThat(published.version()).isEqualTo(2);
    assertThat(published.firstStep()).hasValue(0);
    assertThat(a.metrics.attempts()).isEqualTo(2);
    assertThat(a.metrics.unknownOutcomes()).isEqualTo(1);
    assertThat(a.metrics.conflicts()).isZero();
    assertPublished(a);
  }

  @Test
  void lostReplyOfACreateThatWasNotAppliedIsTriedAgainUnderTheSameNumber() {
    a.store.on(Op.CREATE).times(1).answer(Answer.serverError());
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(a.metrics.attempts()).isEqualTo(3);
    assertPublished(a);
  }

  @Test
  void aCreateThatIsAppliedLateCountsOnce() {
    for (int requestsLater = 0; requestsLater < 8; requestsLater++) {
      a.store.on(Op.CREATE).times(1).answer(Answer.appliedLate(requestsLater));
      Publisher.Published published = a.publish();
      assertThat(published.published()).isTrue();
      assertThat(published.firstStep()).hasValue(requestsLater);
      a.store.deliverHeld();
      assertPublished(a);
    }
  }

  @Test
  void aRetryByTheSdkThatMeetsItsOwnFirstTryIsRecognised() {
    // the first try is applied, its reply lost inside the SDK, the second is told 412
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              Futures.await(request.proceed());
              return request.proceed();
            });
    assertThat(a.publish().published()).isTrue();
    assertThat(a.metrics.conflicts()).isZero();
    assertPublished(a);
  }

  @Test
  void aLostReplyWhenAnotherHasTheNumberIsALostRace() {
    Participant b = new Participant("b", memory, time);
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              b.publish();
              return Answer.serverError().to(request);
            });
    a.publish();
    assertThat(a.metrics.conflicts()).isEqualTo(1);
    assertPublished(a, b);
  }

  @Test
  void anUnknownOutcomeThatStaysUnknownIsNotCalledAFailureToPublish() {
    // stored in truth, but every reply is lost and nothing can be read
    for (Op op : Op.values()) {
      a.store.on(op).answer(op == Op.CREATE ? Answer.lostReply() : Answer.serverError());
    }
    Publication work = a.next();
    assertThatThrownBy(() -> a.publisher.publish(work)).isInstanceOf(CommitFailedException.class);
    a.store.heal();
    a.store.on(Op.READ_SUFFIX).after(1).answer(Answer.serverError());
    a.store.on(Op.CREATE).times(1).answer(Answer.lostReply());
    assertThatThrownBy(() -> a.publisher.publish(work))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("safe to try again");
    a.store.heal();
    assertThat(a.publisher.publish(work).published()).isFalse();
    assertPublished(a);
  }

  @Test
  void aServerErrorUntilTheTimeIsUpLeavesTheBundlesAloneWhetherItWasStoredOrNot() {
    for (Answer answer : List.of(Answer.lostReply(), Answer.serverError())) {
      a.store.on(Op.CREATE).answer(answer);
      a.store.on(Op.READ_SUFFIX).answer(Answer.serverError());
      Publication work = a.next();
      assertThatThrownBy(() -> a.publisher.publish(work)).isInstanceOf(CommitFailedException.class);
      assertThat(a.store.log().count(Op.DELETE)).isZero();
      a.store.heal();
      // the job restarts: the same work, once
      a.publisher.publish(work);
      a.publisher.publish(work);
      assertPublished(a);
    }
  }

  // ---- storms ----

  @Test
  void aStormOfSlowDownsDelaysAndIsOver() {
    for (Op op : Op.values()) {
      a.store.on(op).during(Duration.ofSeconds(30)).answer(Answer.slowDown());
    }
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(time.slept()).isBetween(Duration.ofSeconds(28), Duration.ofSeconds(45));
    // waits grow: no hot spin
    assertThat(a.store.log().count()).isLessThan(40);
    Random random = new Random(3);
    for (Op op : Op.values()) {
      a.store
          .on(op)
          .answer(
              request ->
                  random.nextInt(5) == 0 ? Answer.slowDown().to(request) : request.proceed());
    }
    for (int i = 0; i < 100; i++) {
      a.publish();
    }
    assertPublished(a);
  }

  @Test
  void permanentFaultsFailAtOnce() {
    for (Fault fault : List.of(Fault.DENIED, Fault.NO_SUCH_STORE, Fault.NO_SPACE)) {
      Participant p = new Participant("p" + fault, memory, time);
      Duration before = time.slept();
      p.store.on(Op.CREATE).answer(Answer.fail(fault));
      assertThatThrownBy(p::publish)
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.fault()).isEqualTo(fault));
      assertThat(p.store.log().requests().stream().filter(r -> r.op() == Op.CREATE)).hasSize(2);
      assertThat(time.slept()).isEqualTo(before);
    }
  }

  // ---- races ----

  @Test
  void theLoserRebasesOnTheWinner() {
    Participant b = new Participant("b", memory, time);
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              b.publish();
              return request.proceed();
            });
    Publisher.Published published = a.publish();
    assertThat(published.version()).isEqualTo(4);
    assertThat(published.firstStep()).hasValue(1);
    assertThat(a.metrics.conflicts()).isEqualTo(1);
    assertPublished(a, b);
  }

  @Test
  void whoLosesManyTimesInARowJumpsToTheNewest() {
    Participant b = new Participant("b", memory, time);
    a.store
        .on(Op.CREATE)
        .times(3)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              return request.proceed();
            });
    a.publish();
    assertThat(a.metrics.conflicts()).isEqualTo(3);
    assertPublished(a, b);
  }

  @Test
  void whoTriesAgainAtOnceConcludesNothingFromABaseThatMayBeDead() {
    // a loses to a sleeper's manifest, whose number had been freed, and which knows nothing of a;
    // and the listing that would show better is old
    Participant b = new Participant("b", memory, time);
    Manifest beforeA = chain.first();
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              chain.reclaim(0, 25);
              Manifest orphan = chain.childOf(chain.childOf(chain.childOf(beforeA)));
              chain.overwrite(orphan, beforeA);
              a.store
                  .on(Op.LIST)
                  .times(1)
                  .answer(list -> CompletableFuture.completedFuture(new Listing(List.of(), false)));
              return request.proceed();
            });
    assertThat(a.publish().published()).isTrue();
    assertPublished(a, b);
  }

  @Test
  void twoHundredRoundsOfRandomInterleavingLoseAndDoubleNothing() {
    for (int producers = 2; producers <= 3; producers++) {
      MemoryStore shared = new MemoryStore("mem://rounds", time);
      new Chain(shared, time);
      List<Participant> all = new ArrayList<>();
      for (int i = 0; i < producers; i++) {
        all.add(new Participant("producer-" + i, shared, time));
      }
      Random random = new Random(producers);
      Set<Participant> busy = new HashSet<>();
      for (Participant held : all) {
        // whenever one is about to create, others may come in between, and be held in turn
        held.store
            .on(Op.CREATE)
            .answer(
                request -> {
                  Participant other = all.get(random.nextInt(all.size()));
                  busy.add(held);
                  if (!busy.contains(other) && random.nextInt(3) != 0) {
                    other.publish();
                  }
                  busy.remove(held);
                  return request.proceed();
                });
      }
      for (int round = 0; round < 200; round++) {
        all.get(random.nextInt(all.size())).publish();
      }
      assertThat(all.stream().mapToLong(p -> p.metrics.conflicts()).sum()).isGreaterThan(20);
      assertPublished(shared, all);
    }
  }

  // ---- invariant I8 ----

  @Test
  void aCreateBelowTheReclaimedManifestsIsNotTakenForSuccess() {
    Participant b = new Participant("b", memory, time);
    a.publish();
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              // a is frozen here while the others go on and its base is reclaimed
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              chain.reclaim(0, 25);
              return request.proceed();
            });
    Publisher.Published published = a.publish();
    assertThat(published.version()).isGreaterThan(30);
    assertThat(published.published()).isTrue();
    assertPublished(a, b);
  }

  @Test
  void aCreateBelowTheReclaimedManifestsWhoseReplyIsLostIsNotTakenForSuccess() {
    Participant b = new Participant("b", memory, time);
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              chain.reclaim(0, 25);
              return Answer.lostReply().to(request);
            });
    a.publish();
    assertPublished(a, b);
  }

  @Test
  void whoIsFrozenAfterTheCreateAndFindsItReclaimedSeesThatItWasPublished() {
    Participant b = new Participant("b", memory, time);
    a.store
        .on(Op.LIST)
        .after(0)
        .times(1)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              chain.reclaim(0, 25);
              return request.proceed();
            });
    a.publish();
    assertPublished(a, b);
  }

  // ---- metrics and pacing ----

  @Test
  void theFragileWindowIsFromTheReadingOfTheBaseToTheEndOfTheCreate() {
    Participant slow = new Participant("slow", memory, time, Pacing.DAC);
    slow.store.on(Op.READ_SUFFIX).answer(latency(7));
    slow.store.on(Op.CREATE).answer(latency(30));
    slow.store.on(Op.LIST).answer(latency(1000)); // whether it is live is asked afterwards
    time.sleep(Duration.ofMinutes(1)); // the gap after the takeover
    slow.publish();
    assertThat(slow.metrics.fragileWindow()).isEqualTo(Duration.ofMillis(37));
    // moving average of 0 (the takeover) and 37 ms, weight 0.2; T_cost = 9·τ, up to 1.2 of it; N =
    // 2
    assertThat(slow.metrics.gap()).isBetween(Duration.ofMillis(66), Duration.ofMillis(80));
  }

  @Test
  void theGapIsKeptBeforeTheNextCommit() {
    Participant paced = new Participant("paced", memory, time, Pacing.FIXED_100);
    time.sleep(Duration.ofSeconds(1));
    paced.publish();
    long published = time.nanoTime();
    paced.publish();
    assertThat(time.nanoTime() - published).isEqualTo(100_000_000);
    time.sleep(Duration.ofSeconds(5));
    Duration before = time.slept();
    paced.publish();
    assertThat(time.slept()).isEqualTo(before);
  }

  @Test
  void metricsTellWhatHappened() {
    a.publish();
    a.publish();
    assertThat(a.metrics.commits()).isEqualTo(3);
    assertThat(a.metrics.attempts()).isEqualTo(3);
    assertThat(a.metrics.nextStep()).isEqualTo(2);
    assertThat(a.metrics.manifestBytes()).isEqualTo(memory.bytes(StreamKeys.manifest(3)).length);
    assertThat(a.metrics.lastPublishNanos()).isEqualTo(time.nanoTime());
  }

  @Test
  void createdAtNeverGoesBackThoughTheClockDoes() {
    time.pass(Duration.ofDays(3));
    Manifest future = chain.grow(TrainingStream.open(memory, time).log().newest());
    VirtualTime threeDaysAgo = new VirtualTime();
    Publisher publisher =
        new Publisher(
            TrainingStream.open(memory, threeDaysAgo),
            CommitSettings.DEFAULT.withPacing(Pacing.NAIVE),
            new Random(1),
            new CommitMetrics());
    publisher.takeOver(new Claim("z", new UUID(8, 8), "z", new Claim.Fresh()), OnRewind.FAIL);
    Manifest newest = TrainingStream.open(memory, time).log().newest();
    assertThat(newest.createdAt()).isEqualTo(future.createdAt());
    assertThat(newest.producer("z").orElseThrow().updatedAt()).isEqualTo(future.createdAt());
  }

  private Answer latency(long millis) {
    return request -> {
      time.pass(Duration.ofMillis(millis));
      return request.proceed();
    };
  }

  private void assertPublished(Participant... producers) {
    assertPublished(memory, List.of(producers));
  }

  /** Every sequence of every producer is there once and in order, and nothing else. */
  private void assertPublished(MemoryStore store, List<Participant> producers) {
    TrainingStream stream = TrainingStream.open(store, time);
    Manifest head = stream.log().newest();
    List<BundleDescriptor> all = stream.history(head).bundles(0, Integer.MAX_VALUE);
    assertThat(all).hasSize((int) head.nextStep());
    assertThat(head.totalRecords()).isEqualTo(100 * head.nextStep());
    for (Participant producer : producers) {
      List<Long> sequences =
          all.stream()
              .filter(bundle -> bundle.producerId().equals(producer.id))
              .map(BundleDescriptor::sequence)
              .toList();
      assertThat(sequences).hasSize((int) producer.sequence()).isSorted().doesNotHaveDuplicates();
      assertThat(head.producer(producer.id).orElseThrow().currentLineage().sequence())
          .isEqualTo(producer.sequence());
    }
    assertThat(all).hasSize(producers.stream().mapToInt(p -> (int) p.sequence()).sum());
  }
}
