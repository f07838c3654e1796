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
package dev.lakestream.assembly;

import static dev.lakestream.assembly.Assemblers.feed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.TokenWidth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lengths as of web text: log-normal, a median of some hundred tokens and a long tail. */
class PackingEfficiencyTest {

  private static final int LENGTH = 2048;
  private static final int SEQUENCES = 16;
  private static final int DOCUMENTS = 6_000;

  @Test
  void bestFitWastesLittleAndNotMoreThanFirstFit() {
    for (int lookahead : new int[] {16, 64}) {
      double bestFit = bestFit(lookahead);
      double firstFit = firstFit(SEQUENCES + lookahead);
      assertThat(bestFit)
          .as("lookahead %s", lookahead)
          .isGreaterThan(0.99)
          .isGreaterThanOrEqualTo(firstFit);
    }
  }

  @Test
  void moreLookaheadWastesLess() {
    assertThat(bestFit(0)).isLessThan(bestFit(16));
    assertThat(bestFit(16)).isLessThan(bestFit(128));
  }

  private static double bestFit(int lookahead) {
    TokenPackingAssembler assembler =
        new TokenPackingAssembler(
            new Mesh(4, 1), LENGTH, SEQUENCES / 4, 0, TokenWidth.U32, Packing.BEST_FIT, lookahead);
    for (int length : lengths()) {
      feed(assembler, Sample.ofTokens(0, new int[length]));
    }
    return assembler.statistics().efficiency();
  }

  /** The same bins and the same rule for closing; the oldest bin with room is taken. */
  private static double firstFit(int maxOpen) {
    List<int[]> open = new ArrayList<>();
    long closed = 0;
    long tokens = 0;
    for (int length : lengths()) {
      closed += (length - 1) / LENGTH;
      tokens += (long) (length - 1) / LENGTH * LENGTH;
      int tail = (length - 1) % LENGTH + 1;
      int[] bin = open.stream().filter(used -> used[0] + tail <= LENGTH).findFirst().orElse(null);
      if (bin == null) {
        if (open.size() == maxOpen) {
          int[] fullest = open.stream().max(Comparator.comparingInt(used -> used[0])).orElseThrow();
          open.remove(fullest);
          closed++;
          tokens += fullest[0];
        }
        bin = new int[1];
        open.add(bin);
      }
      bin[0] += tail;
    }
    return (double) tokens / (closed * LENGTH);
  }

  private static List<Integer> lengths() {
    Random random = new Random(20);
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < DOCUMENTS; i++) {
      lengths.add(1 + (int) Math.min(Math.exp(6 + 1.2 * random.nextGaussian()), 50_000));
    }
    return lengths;
  }
}
