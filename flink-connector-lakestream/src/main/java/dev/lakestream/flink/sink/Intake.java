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
package dev.lakestream.flink.sink;

import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.GlobalBatch;
import java.util.List;
import java.util.Optional;

/** What makes batches of a writer's elements. */
interface Intake<IN> {

  /**
   * Accepts the element; its bytes are the element's own no longer, or will not change.
   *
   * @param timestamp of the element; null: none
   */
  void accept(IN element, Long timestamp) throws Exception;

  /** The next complete batch. */
  Optional<GlobalBatch> poll();

  /** Takes samples out of state back. */
  void restore(List<Sample> samples);

  /** Samples that are in no batch yet. */
  List<Sample> pending();

  long pendingBytes();

  /** The batches that are left at the end of the input. */
  List<GlobalBatch> finish(RemainderPolicy policy);
}
