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

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of submissions, failovers, restores of any retained checkpoint, clones, zombies
 * and garbage collection, against the real rules of {@link Ownership}. A schedule that fails is
 * named by its seed: {@code new OwnershipSchedule(seed, ...).run()}.
 */
class OwnershipScheduleTest {

  private static final int SCHEDULES = 20_000;

  @Test
  void nothingIsLostOrDoubledWhenRewindsFail() {
    assertThat(violations(SCHEDULES, OnRewind.FAIL, 6, false)).isEmpty();
  }

  @Test
  void nothingIsSilentlyLostWhenRewindsAppend() {
    assertThat(violations(SCHEDULES, OnRewind.APPEND, 6, false)).isEmpty();
  }

  @Test
  void moreSubmissionsThanAnEntryRemembersChangeNothing() {
    assertThat(violations(300, OnRewind.FAIL, 200, false)).isEmpty();
    assertThat(violations(300, OnRewind.APPEND, 200, false)).isEmpty();
  }

  @Test
  void withoutTheRuleOfBranchesTheSchedulesFindTheLoss() {
    assertThat(violations(5_000, OnRewind.FAIL, 6, true)).isNotEmpty();
  }

  private static Map<String, Long> violations(
      int schedules, OnRewind onRewind, int submissions, boolean ignoreBranches) {
    Map<String, Long> firstSeed = new TreeMap<>();
    for (long seed = 0; seed < schedules; seed++) {
      for (String violation :
          new OwnershipSchedule(seed, onRewind, submissions, ignoreBranches).run()) {
        firstSeed.putIfAbsent(violation, seed);
      }
    }
    return firstSeed;
  }
}
