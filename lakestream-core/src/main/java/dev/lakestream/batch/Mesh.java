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
package dev.lakestream.batch;

/**
 * The shape of a global batch: {@code dp} data-parallel replicas, each cut into {@code cp}
 * context-parallel chunks ([L] section 3.1). Tensor- and pipeline-parallel ranks share a slice and
 * do not appear.
 *
 * @param dp D, the number of replicas
 * @param cp C, the number of chunks of each replica's part
 */
public record Mesh(int dp, int cp) {

  /** So many slices at most in one batch: bounds what a decoder allocates for a footer. */
  public static final int MAX_SLICES = 1 << 20;

  public Mesh {
    if (dp < 1 || cp < 1 || (long) dp * cp > MAX_SLICES) {
      throw new InvalidBatchException(
          "A mesh of "
              + dp
              + " x "
              + cp
              + " is not possible: D and C must be 1 or more, and D x C at most "
              + MAX_SLICES
              + ".");
    }
  }

  /** D x C. */
  public int slices() {
    return dp * cp;
  }

  /** The number of slice (d, c) in a batch: C runs fastest. */
  public int index(int d, int c) {
    if (d < 0 || d >= dp || c < 0 || c >= cp) {
      throw new InvalidBatchException(
          "There is no slice (" + d + ", " + c + ") in a mesh of " + this + ".");
    }
    return d * cp + c;
  }

  @Override
  public String toString() {
    return dp + "x" + cp;
  }
}
