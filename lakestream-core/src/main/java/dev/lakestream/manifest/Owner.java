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
package dev.lakestream.manifest;

import java.util.UUID;

/**
 * One submission that writes, or wrote, under a producer id.
 *
 * @param id made when the sink or the producer is built: the same for all restarts of a submission
 * @param lineage the lineage it writes in
 * @param jobName for messages only; empty: it was taken over from
 * @param takenOverAt for messages only, in milliseconds since the epoch
 */
public record Owner(UUID id, UUID lineage, String jobName, long takenOverAt) {

  /** What is kept of it when it has been taken over from: messages name the current owner only. */
  Owner fenced() {
    return new Owner(id, lineage, "", takenOverAt);
  }

  @Override
  public String toString() {
    return "job \""
        + jobName
        + "\" (owner "
        + id
        + ", since "
        + java.time.Instant.ofEpochMilli(takenOverAt)
        + ")";
  }
}
