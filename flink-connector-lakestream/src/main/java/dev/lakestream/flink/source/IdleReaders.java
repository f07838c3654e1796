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

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * Tells readers that there is nothing for them: at the first look that brings nothing, the second,
 * the fourth, the eighth and so on. Again, because a watermark that was due when a reader marked
 * itself idle makes it active once more; more and more rarely, because an event that meets a task
 * as it ends, of a job that is stopped with a savepoint for instance, fails that task.
 */
final class IdleReaders {

  private final SplitEnumeratorContext<BundleSplit> context;
  private final SliceOwners owners;
  private final RankSet ranks;

  /** By reader: looks that brought it nothing since it got its last split. */
  private final Map<Integer, Integer> looks = new HashMap<>();

  /**
   * @param ranks the sections that are read, of the mesh of the stream
   */
  IdleReaders(SplitEnumeratorContext<BundleSplit> context, SliceOwners owners, RankSet ranks) {
    this.context = context;
    this.owners = owners;
    this.ranks = ranks;
  }

  /**
   * A reader that has a part in every step does not count as idle: it is about to get the next one,
   * and its records would be late if the others' watermark had gone on without it.
   *
   * @param waiting who has asked for a split and got none
   */
  void tell(Iterable<Integer> waiting) {
    int parallelism = context.currentParallelism();
    for (int subtask : waiting) {
      boolean hasPart = !owners.free() && owners.ownsAny(subtask, parallelism, ranks);
      if (!hasPart && Integer.bitCount(looks.merge(subtask, 1, Integer::sum)) == 1) {
        context.sendEventToSourceReader(subtask, new NothingToReadEvent());
      }
    }
  }

  /** The reader has got a split, or is another one. */
  void forget(int subtask) {
    looks.remove(subtask);
  }
}
