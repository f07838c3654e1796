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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How the global ranks of a job are laid out over its kinds of parallelism. The order is {@code
 * tp-cp-dp-pp}, the default of Megatron-LM and of those who follow it: the TP rank runs fastest,
 * then CP, then DP, and PP slowest:
 *
 * <pre>rank = t + TP * (c + CP * (d + DP * p))</pre>
 *
 * Ranks that differ only in their TP or PP rank share a slice. Pure functions; a job that orders
 * its ranks in another way gives its {@link RankPosition} itself.
 *
 * @param tp tensor-parallel size, 1 or more
 * @param cp context-parallel size, 1 or more
 * @param dp data-parallel size, 1 or more
 * @param pp pipeline-parallel size, 1 or more
 */
public record RankLayout(int tp, int cp, int dp, int pp) {

  public RankLayout {
    if (tp < 1 || cp < 1 || dp < 1 || pp < 1) {
      throw new LakestreamException(
          "Parallel sizes are 1 or more, not " + sizes(tp, cp, dp, pp) + ".");
    }
    try {
      Math.multiplyExact(Math.multiplyExact(tp, cp), Math.multiplyExact(dp, pp));
    } catch (ArithmeticException e) {
      throw new LakestreamException(
          "More ranks than an int can number: " + sizes(tp, cp, dp, pp) + ".", e);
    }
    var unused = new Mesh(dp, cp); // Refuses what is too large.
  }

  /**
   * The layout of {@code worldSize} ranks; DP takes what the other sizes leave.
   *
   * @throws LakestreamException if the sizes do not divide the number of ranks
   */
  public static RankLayout ofWorld(int worldSize, int tp, int cp, int pp) {
    long share = (long) tp * cp * pp;
    if (worldSize < 1 || tp < 1 || cp < 1 || pp < 1 || worldSize % share != 0) {
      throw new LakestreamException(
          "A world of "
              + worldSize
              + " ranks cannot be divided by TP x CP x PP = "
              + tp
              + " x "
              + cp
              + " x "
              + pp
              + ". The number of ranks must be a multiple of the product.");
    }
    return new RankLayout(tp, cp, (int) (worldSize / share), pp);
  }

  /**
   * The position of this process, from {@code RANK} and {@code WORLD_SIZE} as torchrun and its like
   * set them.
   *
   * @param environment for instance {@link System#getenv()}
   * @throws LakestreamException if a variable is missing, no number, or contradicts the sizes
   */
  public static RankPosition fromEnvironment(
      Map<String, String> environment, int tp, int cp, int pp) {
    int rank = number(environment, "RANK");
    return ofWorld(number(environment, "WORLD_SIZE"), tp, cp, pp).position(rank);
  }

  private static int number(Map<String, String> environment, String name) {
    String text = environment.get(name);
    try {
      if (text != null) {
        return Integer.parseInt(text.strip());
      }
    } catch (NumberFormatException e) {
      throw new LakestreamException(
          "The environment variable " + name + " = '" + text + "' is not a number.", e);
    }
    throw new LakestreamException(
        "The environment variable "
            + name
            + " is not set. Start the job with a launcher that sets RANK and WORLD_SIZE, or give the"
            + " DP and CP rank explicitly.");
  }

  /** TP x CP x DP x PP. */
  public int worldSize() {
    return tp * cp * dp * pp;
  }

  /** The mesh of slices that these ranks read. */
  public Mesh mesh() {
    return new Mesh(dp, cp);
  }

  /** Which slice the global rank {@code rank} reads. */
  public RankPosition position(int rank) {
    return new RankPosition(mesh(), dpRank(rank), cpRank(rank));
  }

  public int tpRank(int rank) {
    return checked(rank) % tp;
  }

  public int cpRank(int rank) {
    return checked(rank) / tp % cp;
  }

  public int dpRank(int rank) {
    return checked(rank) / (tp * cp) % dp;
  }

  public int ppRank(int rank) {
    return checked(rank) / (tp * cp * dp);
  }

  /**
   * The global ranks that read slice (d, c), ascending: one for each pair of a TP and a PP rank.
   */
  public List<Integer> ranksAt(int d, int c) {
    mesh().index(d, c);
    return IntStream.range(0, pp)
        .boxed()
        .flatMap(p -> IntStream.range(0, tp).mapToObj(t -> t + tp * (c + cp * (d + dp * p))))
        .toList();
  }

  private int checked(int rank) {
    if (rank < 0 || rank >= worldSize()) {
      throw new LakestreamException(
          "There is no rank "
              + rank
              + " in a world of "
              + worldSize()
              + " ranks ("
              + sizes(tp, cp, dp, pp)
              + ").");
    }
    return rank;
  }

  private static String sizes(int tp, int cp, int dp, int pp) {
    return "TP x CP x DP x PP = " + tp + " x " + cp + " x " + dp + " x " + pp;
  }
}
