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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The protocol as a whole, with the real code, under everything that may happen to it at once.
 *
 * <p>{@code -Dlakestream.simulation.seed=N} runs that schedule alone and prints what happened in
 * it; {@code -Dlakestream.simulation.schedules=N} runs so many.
 */
class SimulationTest {

  private static final int SCHEDULES = Integer.getInteger("lakestream.simulation.schedules", 2500);

  /** The finding that the lie is there to bring about, and that only its own check can make. */
  private static final Map<Lie, String> FOUND_OUT_BY =
      Map.of(
          Lie.NO_PATIENCE, "I7: ",
          Lie.ANOTHER_BUNDLE, "was sent another bundle than",
          Lie.CHANGES_OBJECTS, "I10: changed: ");

  private static final Long SEED = Long.getLong("lakestream.simulation.seed");

  @Test
  void noScheduleBreaksAnInvariant() {
    if (SEED != null) {
      List<String> trace = new ArrayList<>();
      List<String> violations = Scenario.run(SEED, Lie.NONE, trace);
      trace.forEach(System.out::println);
      assertThat(violations).isEmpty();
      return;
    }
    assertThat(violations(SCHEDULES, Lie.NONE)).isEmpty();
  }

  @Test
  void aScheduleCanBeHadAgainFromItsSeed() {
    for (long seed = 0; seed < 20; seed++) {
      List<String> first = new ArrayList<>();
      List<String> second = new ArrayList<>();
      Scenario.run(seed, Lie.NONE, first);
      Scenario.run(seed, Lie.NONE, second);
      assertThat(anonymous(second)).isEqualTo(anonymous(first));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aStoreThatLiesAboutARuleIsFoundOut(Lie lie) {
    Map<Long, List<String>> found = violations(200, lie);
    assertThat(found).isNotEmpty();
    if (FOUND_OUT_BY.containsKey(lie)) {
      assertThat(found.values())
          .anySatisfy(
              violations ->
                  assertThat(violations).anyMatch(one -> one.contains(FOUND_OUT_BY.get(lie))));
    }
  }

  private static Map<Long, List<String>> violations(int schedules, Lie lie) {
    Map<Long, List<String>> found = new TreeMap<>();
    for (long seed = 0; seed < schedules; seed++) {
      List<String> violations = Scenario.run(seed, lie, null);
      if (!violations.isEmpty()) {
        found.put(seed, violations);
      }
    }
    return found;
  }

  /**
   * Commit ids and hash codes are random, and decide nothing; nor does which segments, in the order
   * of their random names, a reclaimer had deleted when it died.
   */
  private static List<String> anonymous(List<String> trace) {
    return trace.stream()
        .map(
            line ->
                line.replaceAll(
                    "[0-9a-f]{8}-[0-9a-f-]{27}|segment/.*|@[0-9a-f]+|(?<=SEGMENT=Tally)[^]]*", "~"))
        .toList();
  }
}
