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
package dev.lakestream.simulation;

import dev.lakestream.commit.pacing.Pacing;
import java.util.Random;

/**
 * What one seed decides before anything runs.
 *
 * @param producers how many producer ids
 * @param sequences how many each has to publish
 * @param submissions how many more jobs are started under each id, at random moments
 * @param readers how many follow
 * @param pacing of all producers
 * @param pageSize of listings
 * @param staleListings whether listings may be up to {@link World#STALENESS} old; then reclamation
 *     spares what is younger, as in any real setting
 * @param faults the probability of a fault, per request
 * @param freezes the probability of a freeze, per request
 * @param deaths the probability that the process dies, per request
 * @param reclaims whether old manifests are deleted meanwhile
 * @param trims whether old steps are given up meanwhile
 * @param reclaimers how many real ones are at work, in place of the two before
 * @param redactors how many take records out of history
 */
record Schedule(
    int producers,
    int sequences,
    int submissions,
    int readers,
    Pacing pacing,
    int pageSize,
    boolean staleListings,
    double faults,
    double freezes,
    double deaths,
    boolean reclaims,
    boolean trims,
    int reclaimers,
    int redactors) {

  static Schedule draw(long seed) {
    Random random = new Random(seed ^ 0x5eedL);
    Pacing[] policies = Pacing.values();
    return new Schedule(
        2 + random.nextInt(random.nextInt(4) == 0 ? 7 : 3),
        2 + random.nextInt(4),
        random.nextInt(3),
        1 + random.nextInt(2),
        policies[random.nextInt(policies.length)],
        random.nextInt(3) == 0 ? 1 + random.nextInt(7) : 1000,
        random.nextInt(3) == 0,
        random.nextInt(4) == 0 ? 0 : 0.15 * random.nextDouble(),
        0.06 * random.nextDouble(),
        random.nextInt(2) == 0 ? 0 : 0.01 * random.nextDouble(),
        random.nextInt(8) != 0,
        random.nextInt(4) == 0,
        random.nextInt(3),
        random.nextInt(3));
  }
}
