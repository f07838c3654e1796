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
package dev.lakestream.flink.source;

import dev.lakestream.batch.Mesh;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;

/**
 * Which slices (d, c) of each batch are read. A position that a batch does not have is not read of
 * it.
 *
 * @param dpRanks null: all d
 * @param cpRanks null: all c
 */
public record SliceSelection(Set<Integer> dpRanks, Set<Integer> cpRanks) {

  public SliceSelection {
    dpRanks = checked("dp", dpRanks);
    cpRanks = checked("cp", cpRanks);
  }

  private static Set<Integer> checked(String what, Set<Integer> ranks) {
    if (ranks == null) {
      return null;
    }
    if (ranks.isEmpty() || ranks.stream().anyMatch(rank -> rank < 0)) {
      throw new IllegalArgumentException(
          "A selection of slices needs one or more " + what + " ranks of 0 or more, not " + ranks);
    }
    return Set.copyOf(ranks);
  }

  /** Every slice. */
  public static SliceSelection all() {
    return new SliceSelection(null, null);
  }

  /** All c of these d. */
  public static SliceSelection dpRanks(Collection<Integer> ranks) {
    return new SliceSelection(new TreeSet<>(ranks), null);
  }

  /** These c of all d. */
  public static SliceSelection cpRanks(Collection<Integer> ranks) {
    return new SliceSelection(null, new TreeSet<>(ranks));
  }

  boolean contains(int d, int c) {
    return (dpRanks == null || dpRanks.contains(d)) && (cpRanks == null || cpRanks.contains(c));
  }

  /** The sections that hold these slices. */
  RankSet ranksOf(Mesh mesh) {
    return RankSet.of(mesh.slices(), rank -> contains(rank / mesh.cp(), rank % mesh.cp()));
  }

  void putInto(Configuration options) {
    put(options, LakestreamSourceOptions.DP_RANKS, dpRanks);
    put(options, LakestreamSourceOptions.CP_RANKS, cpRanks);
  }

  private static void put(
      Configuration options,
      org.apache.flink.configuration.ConfigOption<List<Integer>> option,
      Set<Integer> ranks) {
    if (ranks == null) {
      options.removeConfig(option);
    } else {
      options.set(option, List.copyOf(new TreeSet<>(ranks)));
    }
  }

  static SliceSelection of(ReadableConfig options) {
    return new SliceSelection(
        options.getOptional(LakestreamSourceOptions.DP_RANKS).map(Set::copyOf).orElse(null),
        options.getOptional(LakestreamSourceOptions.CP_RANKS).map(Set::copyOf).orElse(null));
  }
}
