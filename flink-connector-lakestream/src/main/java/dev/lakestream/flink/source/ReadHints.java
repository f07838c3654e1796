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
import java.io.Serializable;
import java.util.OptionalLong;

/**
 * What a query lets the source leave out.
 *
 * @param filter what is wanted at all
 * @param limit so many records suffice, of a bounded source; null: all are wanted
 */
record ReadHints(ReadFilter filter, Long limit) implements Serializable {

  private static final long serialVersionUID = 1L;

  static final ReadHints NONE = new ReadHints(ReadFilter.ALL, null);

  /** From here on the next step that is wanted, or the end of what there is. */
  long skip(long step, long nextStep) {
    if (step >= nextStep) {
      return step;
    }
    LongRanges wanted = filter.steps().within(step, nextStep);
    return wanted.isEmpty() ? nextStep : wanted.min();
  }

  /** An end that reads no more than is wanted. */
  OptionalLong end(OptionalLong end) {
    LongRanges steps = filter.steps();
    long last = steps.isEmpty() ? -1 : steps.max();
    return end.isEmpty() || last >= end.getAsLong() ? end : OptionalLong.of(Math.max(0, last + 1));
  }

  /** Those of the sections that are wanted. */
  RankSet ranks(RankSet selected, Mesh mesh) {
    return selected.filter(rank -> filter.wants(rank / mesh.cp(), rank % mesh.cp()));
  }
}
