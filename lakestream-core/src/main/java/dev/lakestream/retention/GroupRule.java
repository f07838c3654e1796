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
 * Which members of a group hold history back: it permits deletion, by leaving a member out. A job
 * that changes its number of ranks begins a new generation. The newest generation of which all
 * members have recorded holds, and so do newer ones that are not complete yet; older ones hold
 * nothing, so that a rank that no longer exists holds nothing back for ever.
 *
 * <p>Assumptions, and what becomes of the steps when one fails:
 *
 * <ul>
 *   <li>A generation that is complete has taken over what its group kept, so that nobody goes back
 *       to what an older one held. {@link RankRecorder#register} sees to it before it records
 *       anything of its own.
 *   <li>The members may be seen in the middle of a change. A new generation that has only half
 *       started has overwritten objects of the old one, which then no longer looks complete: so its
 *       members say which generation they found complete ({@link Watermark#settled}), and where
 *       none is known, all hold. Too much is held then, and never too little.
 *   <li>Members of a generation agree on the number of ranks. If they do not, the larger one
 *       counts, and the generation is complete later.
 *   <li>A lost or late write of a member leaves an older, lower step there, which holds more. An
 *       object that is damaged is no member left out: reading it fails, and with it the
 *       reclamation.
 *   <li>Generations only rise. A job that goes back to a lower one is not heard, and its steps may
 *       go; a rank that has recorded in a higher one is refused by {@link RankRecorder}.
 * </ul>
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
