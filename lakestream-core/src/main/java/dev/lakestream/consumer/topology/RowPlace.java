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

import dev.lakestream.batch.Mesh;

/**
 * Where a row of the stream is. A row is one replica's part of one step.
 *
 * @param step of the stream
 * @param d the replica, in the mesh of that step
 */
public record RowPlace(long step, int d) {

  /**
   * The place of {@code row} in a bundle that begins with {@code firstStep} and {@code firstRow}.
   *
   * @param mesh of the bundle
   */
  public static RowPlace of(long firstStep, long firstRow, Mesh mesh, long row) {
    long within = row - firstRow;
    if (within < 0) {
      throw new IllegalArgumentException("Row " + row + " comes before row " + firstRow + ".");
    }
    return new RowPlace(firstStep + within / mesh.dp(), (int) (within % mesh.dp()));
  }
}
