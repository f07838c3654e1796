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
package dev.lakestream.retention;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which members of a group hold history back. A job that changes its number of ranks begins a new
 * generation. The newest generation of which all members have recorded holds, and so do newer ones
 * that are not complete yet; older ones hold nothing, so that a rank that no longer exists holds
 * nothing back for ever. A new generation that has only half started overwrites objects of the old
 * one, and must not let go of what the old one needs: so its members say which generation they
 * found complete, and where none is known, all hold.
 */
final class GroupRule {

  private GroupRule() {}

  /**
   * Those that hold.
   *
   * @param members of one group, each rank once
   */
  static List<Watermark> holding(Collection<Watermark> members) {
    long settled = settled(members);
    return members.stream().filter(member -> member.generation() >= settled).toList();
  }

  /** The newest generation whose members have all recorded, now or once; 0: none is known. */
  static long settled(Collection<Watermark> members) {
    Map<Long, Set<Integer>> ranks = new HashMap<>();
    Map<Long, Integer> worlds = new HashMap<>();
    long known = 0;
    for (Watermark member : members) {
      known = Math.max(known, member.settled());
      ranks.computeIfAbsent(member.generation(), any -> new HashSet<>()).add(member.rank());
      // Members that disagree: the larger world is complete later and so holds more.
      worlds.merge(member.generation(), member.worldSize(), Math::max);
    }
    return ranks.entrySet().stream()
        .filter(generation -> generation.getValue().size() >= worlds.get(generation.getKey()))
        .mapToLong(Map.Entry::getKey)
        .reduce(known, Math::max);
  }
}
