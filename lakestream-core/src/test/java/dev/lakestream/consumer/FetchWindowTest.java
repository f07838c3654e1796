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

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** In virtual time: a consumer that takes one fetch after another, and a store with a latency. */
class FetchWindowTest {

  private static final long BYTES = 1000;

  /** Events of the store, by time. */
  private final PriorityQueue<Long> answers = new PriorityQueue<>();

  private final Deque<Long> begun = new ArrayDeque<>();
  private final Random random = new Random(3);
  private FetchWindow window = new FetchWindow(64, 1 << 20);
  private long now;
  private long busy;
  private int most;
  private boolean throttling;

  private static long millis(double millis) {
    return (long) (millis * 1e6);
  }

  /**
   * The consumer uses up so many fetches, each in {@code use}; answers come after {@code latency}.
   */
  private void run(int fetches, long latency, long use) {
    busy = 0;
    most = 0;
    for (int i = 0; i < fetches; i++) {
      start(latency);
      long due = answers.remove();
      now = Math.max(now, due);
      answer(begun.remove(), due);
      // While the consumer works, further answers come in.
      long until = now + use;
      start(latency);
      now = until;
      busy += use;
      window.used(use);
      window.end(BYTES);
    }
  }

  private void start(long latency) {
    while (window.admits(BYTES)) {
      window.begin(BYTES);
      begun.add(now);
      answers.add(now + latency + random.nextInt(1 + (int) (latency / 10)));
      most = Math.max(most, window.held());
    }
  }

  private void answer(long start, long at) {
    if (throttling && random.nextInt(4) == 0) {
      window.throttled(now);
    } else {
      window.answered(Math.max(1, at - start));
    }
  }

  private double utilisation(long begin) {
    return (double) busy / (now - begin);
  }

  @Test
  void itConvergesToWhatLittlesLawAsksForWhateverTheLatency() {
    for (double latency : new double[] {5, 200}) {
      window = new FetchWindow(64, 1 << 20);
      answers.clear();
      begun.clear();
      run(100, millis(latency), millis(10));
      long warm = now;
      run(300, millis(latency), millis(10));
      double law = latency / 10;
      assertThat(window.limit())
          .as("%s ms", latency)
          .isBetween((int) Math.ceil(law), (int) Math.ceil(1.5 * law) + 2);
      assertThat(utilisation(warm)).isGreaterThan(0.95);
    }
  }

  @Test
  void aLatencyThatChangesIsFollowedInBothDirections() {
    run(200, millis(5), millis(10));
    int low = window.limit();
    run(300, millis(200), millis(10));
    int high = window.limit();
    run(400, millis(5), millis(10));
    assertThat(low).isLessThanOrEqualTo(3);
    assertThat(high).isGreaterThanOrEqualTo(20);
    assertThat(window.limit()).isLessThanOrEqualTo(3);
  }

  @Test
  void throttlingHalvesItOncePerRoundAndItComesBack() {
    run(300, millis(200), millis(10));
    int before = window.limit();
    window.throttled(now);
    assertThat(window.limit()).isEqualTo(before / 2);
    window.throttled(now + millis(1)); // the same round of answers
    assertThat(window.limit()).isEqualTo(before / 2);
    window.throttled(now + millis(500));
    assertThat(window.limit()).isEqualTo(before / 4);
    window.answered(millis(200));
    assertThat(window.limit()).as("additively").isLessThanOrEqualTo(before / 4 + 1);
    run(600, millis(200), millis(10));
    assertThat(window.limit()).isBetween(before - 4, before + 4);
  }

  @Test
  void aStoreThatKeepsThrottlingIsAskedForLittleAndNeverForNothing() {
    run(100, millis(50), millis(5));
    throttling = true;
    run(300, millis(50), millis(5));
    assertThat(window.limit()).isBetween(1, 8);
    throttling = false;
    run(600, millis(50), millis(5));
    assertThat(window.limit()).isGreaterThanOrEqualTo(10);
  }

  @Test
  void itNeverPassesItsBounds() {
    window = new FetchWindow(64, 10 * BYTES);
    run(300, millis(200), millis(1));
    assertThat(most).isLessThanOrEqualTo(10);
    window = new FetchWindow(7, 1 << 20);
    answers.clear();
    begun.clear();
    run(300, millis(200), millis(1));
    assertThat(most).isLessThanOrEqualTo(7);
    // A single fetch that is larger than the memory is let through when there is no other one.
    FetchWindow small = new FetchWindow(7, 10);
    assertThat(small.admits(11)).isTrue();
    small.begin(11);
    assertThat(small.admits(1)).isFalse();
  }

  @Test
  void beforeTheConsumerHasShownItsPaceItStaysSmall() {
    for (int i = 0; i < 50; i++) {
      window.answered(Duration.ofMillis(200).toNanos());
    }
    assertThat(window.limit()).isEqualTo(FetchWindow.INITIAL);
  }
}
