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

/**
 * How many fetches a reader keeps under way or ready: by Little's law L = λ·W, with W the time that
 * a fetch takes and λ the fetches that the consumer uses up in the time that is its own ([A]); one
 * more is kept ready. Never more than the bounds on fetches and memory allow.
 *
 * <p>It begins with a few and grows by one with each answer (as TCP's slow start does) until it
 * keeps up. When the store throttles it is halved, once for each W, and then grows by one for each
 * round of answers, up to what the law asks for. W follows the measured times as TCP's
 * retransmission timer does: their moving average, and twice their mean deviation on top.
 *
 * <p>Not thread-safe; knows no clock.
 */
final class FetchWindow {

  static final int INITIAL = 4;

  /** The weight of a new measurement. */
  private static final double GAIN = 1.0 / 8;

  private final int mostFetches;
  private final long mostBytes;
  private double limit;
  private double threshold = Double.MAX_VALUE;
  private double latency;
  private double deviation;
  private double use = -1;
  private long cutAt;
  private boolean wasCut;
  private int held;
  private long bytes;

  FetchWindow(int mostFetches, long mostBytes) {
    this.mostFetches = mostFetches;
    this.mostBytes = mostBytes;
    this.limit = Math.min(INITIAL, mostFetches);
  }

  /** Whether a fetch of so many bytes may begin; the only one always may, however large it is. */
  boolean admits(long more) {
    return held == 0 || (held < limit() && bytes + more <= mostBytes);
  }

  void begin(long more) {
    held++;
    bytes += more;
  }

  /** The fetch has been used up, or has ended without being wanted any more. */
  void end(long less) {
    held--;
    bytes -= less;
  }

  /** A fetch took so long from its request to its last byte, retries included. */
  void answered(long nanos) {
    if (latency == 0) {
      latency = nanos;
      deviation = nanos / 2.0;
    } else {
      deviation += GAIN * (Math.abs(nanos - latency) - deviation);
      latency += GAIN * (nanos - latency);
    }
    int target = target();
    if (limit < target) {
      limit = Math.min(target, limit + (limit < threshold ? 1 : 1 / limit));
    } else {
      limit = Math.max(target, limit - 1);
    }
  }

  /** The consumer has used up a fetch, and took so long for it beside waiting. */
  void used(long nanos) {
    use = use < 0 ? nanos : use + GAIN * (nanos - use);
  }

  /**
   * The store asks for fewer requests.
   *
   * @param now by the monotonic clock, in nanoseconds: the answers of one round count once
   */
  void throttled(long now) {
    if (wasCut && now - cutAt < latency) {
      return;
    }
    wasCut = true;
    cutAt = now;
    limit = Math.max(1, limit / 2);
    threshold = limit;
  }

  /** L, and one that is ready. */
  private int target() {
    if (use < 0) {
      return Math.min(INITIAL, mostFetches);
    }
    double law = (latency + 2 * deviation) / Math.max(use, 1) + 1;
    return (int) Math.max(1, Math.min(mostFetches, Math.ceil(law)));
  }

  int limit() {
    return (int) limit;
  }

  int held() {
    return held;
  }

  long bytes() {
    return bytes;
  }

  /** W, in nanoseconds; 0: nothing has been measured. */
  long latencyNanos() {
    return (long) latency;
  }
}
