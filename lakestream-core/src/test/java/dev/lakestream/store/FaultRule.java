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

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** When and how often a {@link FaultyStore} gives an answer. */
public final class FaultRule {

  private final Op op;
  private final Predicate<String> key;
  private final Time time;
  private final List<FaultRule> inForce;
  private int skip;
  private long times = Long.MAX_VALUE;
  private long until = Long.MAX_VALUE;
  private long made;
  private Answer answer;

  FaultRule(Op op, Predicate<String> key, Time time, List<FaultRule> inForce) {
    this.op = op;
    this.key = key;
    this.time = time;
    this.inForce = inForce;
  }

  /** Lets so many requests pass first. */
  public FaultRule after(int requests) {
    this.skip = requests;
    return this;
  }

  /** Answers so many requests; without it, every one. */
  public FaultRule times(int requests) {
    this.times = requests;
    return this;
  }

  /** Answers for so long from now on. */
  public FaultRule during(Duration period) {
    this.until = period.toNanos();
    return this;
  }

  /** Puts the rule in force. */
  public void answer(Answer answer) {
    this.answer = answer;
    this.made = time.nanoTime();
    inForce.add(this);
  }

  /** Whether the rule decides on this request; counts it. */
  synchronized boolean takes(FaultyStore.Request request) {
    if (request.op() != op
        || !key.test(request.key())
        || times == 0
        || (until != Long.MAX_VALUE && time.nanoTime() - made >= until)) {
      return false;
    }
    if (skip > 0) {
      skip--;
      return false;
    }
    times--;
    return true;
  }

  Answer answer() {
    return answer;
  }
}
