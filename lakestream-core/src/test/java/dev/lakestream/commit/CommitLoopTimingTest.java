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

import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a commit measures, how long it waits for the next one, and the time it writes down. */
class CommitLoopTimingTest {

  private final ContendedStream stream = new ContendedStream();
  private final Participant a = stream.participant("a"); // manifest 1

  @Test
  void theFragileWindowIsFromTheReadingOfTheBaseToTheEndOfTheCreate() {
    Participant slow = stream.participant("slow", Pacing.DAC);
    slow.store.on(Op.READ_SUFFIX).answer(latency(7));
    slow.store.on(Op.CREATE).answer(latency(30));
    slow.store.on(Op.LIST).answer(latency(1000)); // whether it is live is asked afterwards
    stream.time.sleep(Duration.ofMinutes(1)); // the gap after the takeover
    slow.publish();
    assertThat(slow.metrics.fragileWindow()).isEqualTo(Duration.ofMillis(37));
    // moving average of 0 (the takeover) and 37 ms, weight 0.2; T_cost = 9·τ, up to 1.2 of it;
    // N = 2
    assertThat(slow.metrics.gap()).isBetween(Duration.ofMillis(66), Duration.ofMillis(80));
  }

  private Answer latency(long millis) {
    return request -> {
      stream.time.pass(Duration.ofMillis(millis));
      return request.proceed();
    };
  }

  @Test
  void theGapIsKeptBeforeTheNextCommit() {
    Participant paced = stream.participant("paced", Pacing.FIXED_100);
    stream.time.sleep(Duration.ofSeconds(1));
    paced.publish();
    long published = stream.time.nanoTime();
    paced.publish();
    assertThat(stream.time.nanoTime() - published).isEqualTo(100_000_000);
    stream.time.sleep(Duration.ofSeconds(5));
    Duration before = stream.time.slept();
    paced.publish();
    assertThat(stream.time.slept()).isEqualTo(before);
  }

  @Test
  void metricsTellWhatHappened() {
    a.publish();
    a.publish();
    assertThat(a.metrics.commits()).isEqualTo(3);
    assertThat(a.metrics.attempts()).isEqualTo(3);
    assertThat(a.metrics.nextStep()).isEqualTo(2);
    assertThat(a.metrics.manifestBytes())
        .isEqualTo(stream.memory.bytes(StreamKeys.manifest(3)).length);
    assertThat(a.metrics.lastPublishNanos()).isEqualTo(stream.time.nanoTime());
  }

  @Test
  void createdAtNeverGoesBackThoughTheClockDoes() {
    stream.time.pass(Duration.ofDays(3));
    Manifest future = stream.chain.grow(stream.open().log().newest());
    VirtualTime threeDaysAgo = new VirtualTime();
    Publisher publisher =
        new Publisher(
            TrainingStream.open(stream.memory, threeDaysAgo),
            CommitSettings.DEFAULT.withPacing(Pacing.NAIVE),
            new Random(1),
            new CommitMetrics());
    publisher.takeOver(new Claim("z", new UUID(8, 8), "z", new Claim.Fresh()), OnRewind.FAIL);
    Manifest newest = stream.open().log().newest();
    assertThat(newest.createdAt()).isEqualTo(future.createdAt());
    assertThat(newest.producer("z").orElseThrow().updatedAt()).isEqualTo(future.createdAt());
  }
}
