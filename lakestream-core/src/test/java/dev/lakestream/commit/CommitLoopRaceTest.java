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

import dev.lakestream.manifest.Manifest;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Listing;
import dev.lakestream.store.Op;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What others may do to one commit: publish before it, and reclaim what it stands on. */
class CommitLoopRaceTest {

  private final ContendedStream stream = new ContendedStream();
  private final Participant a = stream.participant("a"); // manifest 1

  @Test
  void theLoserRebasesOnTheWinner() {
    Participant b = stream.participant("b");
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
    stream.assertPublished(a, b);
  }

  @Test
  void whoLosesManyTimesInARowJumpsToTheNewest() {
    Participant b = stream.participant("b");
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
    stream.assertPublished(a, b);
  }

  @Test
  void whoTriesAgainAtOnceConcludesNothingFromABaseThatMayBeDead() {
    // a loses to a sleeper's manifest, whose number had been freed, and which knows nothing of a;
    // and the listing that would show better is old
    Participant b = stream.participant("b");
    Manifest beforeA = stream.chain.first();
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              stream.chain.reclaim(0, 25);
              Manifest orphan =
                  stream.chain.childOf(stream.chain.childOf(stream.chain.childOf(beforeA)));
              stream.chain.overwrite(orphan, beforeA);
              a.store
                  .on(Op.LIST)
                  .times(1)
                  .answer(list -> CompletableFuture.completedFuture(new Listing(List.of(), false)));
              return request.proceed();
            });
    assertThat(a.publish().published()).isTrue();
    stream.assertPublished(a, b);
  }

  @Test
  void twoHundredRoundsOfRandomInterleavingLoseAndDoubleNothing() {
    for (int producers = 2; producers <= 3; producers++) {
      ContendedStream contended = new ContendedStream();
      List<Participant> all = new ArrayList<>();
      for (int i = 0; i < producers; i++) {
        all.add(contended.participant("producer-" + i));
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
      contended.assertPublished(all);
    }
  }

  // ---- invariant I8 ----

  @Test
  void aCreateBelowTheReclaimedManifestsIsNotTakenForSuccess() {
    Participant b = stream.participant("b");
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
              stream.chain.reclaim(0, 25);
              return request.proceed();
            });
    Publisher.Published published = a.publish();
    assertThat(published.version()).isGreaterThan(30);
    assertThat(published.published()).isTrue();
    stream.assertPublished(a, b);
  }

  @Test
  void aCreateBelowTheReclaimedManifestsWhoseReplyIsLostIsNotTakenForSuccess() {
    Participant b = stream.participant("b");
    a.store
        .on(Op.CREATE)
        .times(1)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              stream.chain.reclaim(0, 25);
              return Answer.lostReply().to(request);
            });
    a.publish();
    stream.assertPublished(a, b);
  }

  @Test
  void whoIsFrozenAfterTheCreateAndFindsItReclaimedSeesThatItWasPublished() {
    Participant b = stream.participant("b");
    a.store
        .on(Op.LIST)
        .after(0)
        .times(1)
        .answer(
            request -> {
              for (int i = 0; i < 30; i++) {
                b.publish();
              }
              stream.chain.reclaim(0, 25);
              return request.proceed();
            });
    a.publish();
    stream.assertPublished(a, b);
  }
}
