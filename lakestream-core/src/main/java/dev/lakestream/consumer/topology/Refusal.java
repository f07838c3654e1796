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
package dev.lakestream.consumer.topology;

import java.util.Locale;

/** Why a rank cannot read what was written for another mesh. */
public enum Refusal {
  /** Mode {@code exact}, and another mesh. */
  MESH_DIFFERS,
  /** Neither of C and C' divides the other. */
  CHUNKS_DO_NOT_DIVIDE,
  /** A sequence cannot be cut into C' equal chunks. */
  SEQUENCE_DOES_NOT_DIVIDE,
  /** The slice format does not say where records begin. */
  NEEDS_RECORDS,
  /** The chunks of one replica hold different numbers of sequences: the stream is damaged. */
  CHUNKS_DIFFER,
  /** The cursor stands between two rows of a step, which only mode {@code rows} can go on from. */
  INSIDE_A_STEP;

  /** As in the vectors. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
