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
package dev.lakestream.consumer;

import dev.lakestream.batch.Mesh;

/**
 * Which slice of every step a rank reads.
 *
 * @param mesh of the job that trains
 * @param d the DP replica, from 0
 * @param c the CP rank, from 0
 */
public record RankPosition(Mesh mesh, int d, int c) {

  public RankPosition {
    mesh.index(d, c); // Refuses what is outside the mesh.
  }

  /**
   * @param dp how many DP replicas there are
   * @param cp how many CP ranks a replica has
   */
  public static RankPosition of(int dp, int cp, int d, int c) {
    return new RankPosition(new Mesh(dp, cp), d, c);
  }

  @Override
  public String toString() {
    return "(" + d + ", " + c + ") of " + mesh;
  }
}
