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

import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the store may do to one commit, one fault at a time; all of them at once is simulated. */
class CommitLoopTest {

  private final ContendedStream stream = new ContendedStream();
  private final Participant a = stream.participant("a"); // manifest 1

  // ---- 409: the store could not decide ----

  @Test
  void aConflictThatClearsIsTriedAgainUnderTheSameNumberAndIsNoLostRace() {
    a.store.on(Op.CREATE).times(2).answer(Answer.conflict());
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(a.metrics.attempts()).isEqualTo(1 + 3);
    assertThat(a.metrics.conflicts()).isZero();
    assertThat(a.metrics.retries()).isEqualTo(2);
    assertThat(stream.time.slept()).isPositive();
    stream.assertPublished(a);
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
    assertThat(stream.time.slept()).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));

    a.store.heal();
    assertThat(a.publisher.publish(a.publication(1)).version()).isEqualTo(2);
    stream.assertPublished(a);
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
    stream.assertPublished(a);
  }

  @Test
  void lostReplyOfACreateThatWasNotAppliedIsTriedAgainUnderTheSameNumber() {
    a.store.on(Op.CREATE).times(1).answer(Answer.serverError());
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(a.metrics.attempts()).isEqualTo(3);
    stream.assertPublished(a);
  }

  @Test
  void aCreateThatIsAppliedLateCountsOnce() {
    for (int requestsLater = 0; requestsLater < 8; requestsLater++) {
      a.store.on(Op.CREATE).times(1).answer(Answer.appliedLate(requestsLater));
      Publisher.Published published = a.publish();
      assertThat(published.published()).isTrue();
      assertThat(published.firstStep()).hasValue(requestsLater);
      a.store.deliverHeld();
      stream.assertPublished(a);
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
    stream.assertPublished(a);
  }

  @Test
  void aLostReplyWhenAnotherHasTheNumberIsALostRace() {
    Participant b = stream.participant("b");
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
    stream.assertPublished(a, b);
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
    stream.assertPublished(a);
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
      stream.assertPublished(a);
    }
  }

  // ---- storms ----

  @Test
  void aStormOfSlowDownsDelaysAndIsOver() {
    for (Op op : Op.values()) {
      a.store.on(op).during(Duration.ofSeconds(30)).answer(Answer.slowDown());
    }
    assertThat(a.publish().version()).isEqualTo(2);
    assertThat(stream.time.slept()).isBetween(Duration.ofSeconds(28), Duration.ofSeconds(45));
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
    stream.assertPublished(a);
  }

  @Test
  void permanentFaultsFailAtOnce() {
    for (Fault fault : List.of(Fault.DENIED, Fault.NO_SUCH_STORE, Fault.NO_SPACE)) {
      Participant p = stream.participant("p" + fault);
      Duration before = stream.time.slept();
      p.store.on(Op.CREATE).answer(Answer.fail(fault));
      assertThatThrownBy(p::publish)
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.fault()).isEqualTo(fault));
      assertThat(p.store.log().requests().stream().filter(r -> r.op() == Op.CREATE)).hasSize(2);
      assertThat(stream.time.slept()).isEqualTo(before);
    }
  }
}
