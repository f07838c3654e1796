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

import dev.lakestream.batch.Mesh;
import java.io.Serializable;
import java.nio.ByteBuffer;

/** The user's side of the sink in the job graph: makes the intake of each writer. */
interface Input<IN> extends Serializable {

  /**
   * @param stated the mesh that was stated; null: none
   * @param subtask of the writer
   * @param copy whether elements are reused by their sender and must be copied
   * @param bufferBytes the writer's memory
   */
  Intake<IN> open(Mesh stated, int subtask, boolean copy, long bufferBytes);

  /** A copy that nobody else has. */
  static ByteBuffer copyOf(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }
}
