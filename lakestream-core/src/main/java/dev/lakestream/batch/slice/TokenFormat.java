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
package dev.lakestream.batch.slice;

import dev.lakestream.batch.InvalidBatchException;

/**
 * What all token slices of a stream have in common.
 *
 * @param sequenceLength L, the tokens of one sequence over all chunks; a multiple of {@code chunks}
 * @param chunks C, the context-parallel ranks that share a sequence; chunk c holds tokens {@code c
 *     * L/C … (c + 1) * L/C - 1}
 * @param width of a stored token
 * @param padToken what stands behind the last real token of a sequence
 */
public record TokenFormat(int sequenceLength, int chunks, TokenWidth width, int padToken) {

  public TokenFormat {
    if (sequenceLength < 1 || chunks < 1 || sequenceLength % chunks != 0) {
      throw new InvalidBatchException(
          "Sequences of "
              + sequenceLength
              + " tokens cannot be cut into "
              + chunks
              + " equal chunks. The sequence length must be a multiple of the mesh's C.");
    }
    if (width == null) {
      throw new InvalidBatchException("The width of a token is not given.");
    }
    if (!width.holds(padToken)) {
      throw new InvalidBatchException(
          "The padding token "
              + padToken
              + " does not fit into "
              + width.bytes()
              + " bytes: it must be from 0 to "
              + width.maxToken()
              + ".");
    }
  }

  /** L/C. */
  public int chunkLength() {
    return sequenceLength / chunks;
  }
}
