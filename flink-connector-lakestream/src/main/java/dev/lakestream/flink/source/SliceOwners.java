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

/**
 * Which reader owns which slices, for each order. Pure arithmetic on the stream's own mesh, which
 * never changes, so that a slice (d, c) has the same owner in batches of any mesh.
 */
final class SliceOwners {

  private final ReadOrder order;
  private final Mesh mesh;

  /**
   * @param mesh the stream's default mesh
   */
  SliceOwners(ReadOrder order, Mesh mesh) {
    this.order = order;
    this.mesh = mesh;
  }

  /** Whether any reader may read any slice. */
  boolean free() {
    return order == ReadOrder.NONE;
  }

  /** Whether slices of one step may come out apart from one another. */
  boolean cutsBetweenRanks() {
    return order != ReadOrder.GLOBAL;
  }

  /** Whether reader {@code subtask} may read any of these slices of the stream's mesh. */
  boolean ownsAny(int subtask, int parallelism, RankSet ranks) {
    int cp = mesh.cp();
    return !ranks.filter(rank -> owns(subtask, parallelism, rank / cp, rank % cp)).isEmpty();
  }

  /**
   * Whether reader {@code subtask} may read slice (d, c). Neighbouring slices have the same owner
   * or neighbouring ones, so that an owner's slices lie together in a bundle.
   */
  boolean owns(int subtask, int parallelism, int d, int c) {
    return switch (order) {
      case NONE -> true;
      case GLOBAL -> subtask == 0;
      case SLICE -> {
        long slot = mesh.index(d % mesh.dp(), c % mesh.cp());
        yield subtask == slot * parallelism / mesh.slices();
      }
    };
  }
}
