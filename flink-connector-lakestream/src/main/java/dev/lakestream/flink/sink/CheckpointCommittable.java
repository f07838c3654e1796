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

import dev.lakestream.batch.StagedBundle;
import java.util.List;

/**
 * All that one checkpoint publishes, by one manifest, and everything that decides whether it may: a
 * commit request of Flink carries neither a checkpoint id nor a job.
 *
 * @param producer under which identity it was written
 * @param checkpointId the sequence in the producer's lineage, 1 or more
 * @param bundles in the order of their steps; one or more
 */
record CheckpointCommittable(
    ProducerState producer, long checkpointId, List<StagedBundle> bundles) {

  CheckpointCommittable {
    bundles = List.copyOf(bundles);
  }
}
