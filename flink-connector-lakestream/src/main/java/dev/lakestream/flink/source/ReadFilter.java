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

import java.io.Serializable;

/**
 * What need not be read, because whoever reads would throw it away: a hint that saves requests.
 * Steps that are left out count as read. Unlike a start, an end or a selection of slices, it
 * changes nothing of what else is promised: a filter for steps that do not exist reads nothing.
 *
 * <p>Whole steps and slices are left out where that is possible; some that the filter does not want
 * may still come.
 *
 * @param steps that are wanted
 * @param dpRanks d of slices that are wanted
 * @param cpRanks c of slices that are wanted
 */
public record ReadFilter(LongRanges steps, LongRanges dpRanks, LongRanges cpRanks)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Everything is wanted. */
  public static final ReadFilter ALL =
      new ReadFilter(LongRanges.ALL, LongRanges.ALL, LongRanges.ALL);

  boolean wants(int d, int c) {
    return dpRanks.contains(d) && cpRanks.contains(c);
  }

  /** Nothing can match. */
  public boolean isEmpty() {
    return steps.isEmpty() || dpRanks.isEmpty() || cpRanks.isEmpty();
  }
}
