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

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Random faults: each request meets at most one, drawn from a seeded sequence, so that a run that
 * makes the same requests meets the same faults.
 */
public final class FaultPlan {

  private final Random random;
  private final List<Risk> risks = new ArrayList<>();

  private FaultPlan(long seed) {
    this.random = new Random(seed);
  }

  public static FaultPlan seeded(long seed) {
    return new FaultPlan(seed);
  }

  /**
   * What a busy, healthy S3 does now and then: each of lost and late replies, 409, 500, 503, short
   * bodies and stale listings with this probability a request.
   */
  public static FaultPlan seeded(long seed, double rate) {
    return new FaultPlan(seed)
        .risk(rate, Answer.lostReply(), Op.CREATE, Op.PUT, Op.DELETE)
        .risk(rate, Answer.appliedLate(5), Op.CREATE, Op.PUT)
        .risk(rate, Answer.conflict(), Op.CREATE)
        .risk(rate, Answer.serverError(), Op.values())
        .risk(rate, Answer.slowDown(), Op.values())
        .risk(rate, Answer.shortReply(), Op.READ, Op.READ_SUFFIX)
        .risk(rate, Answer.staleListing(3), Op.LIST);
  }

  /** Adds a fault; the probabilities for one operation add up to at most 1. */
  public FaultPlan risk(double probability, Answer answer, Op... ops) {
    risks.add(new Risk(probability, EnumSet.copyOf(List.of(ops)), answer));
    return this;
  }

  /** What happens to the next request, or null for nothing. */
  synchronized Answer draw(Op op) {
    double drawn = random.nextDouble();
    for (Risk risk : risks) {
      if (risk.ops.contains(op)) {
        if (drawn < risk.probability) {
          return risk.answer;
        }
        drawn -= risk.probability;
      }
    }
    return null;
  }

  private record Risk(double probability, Set<Op> ops, Answer answer) {}
}
