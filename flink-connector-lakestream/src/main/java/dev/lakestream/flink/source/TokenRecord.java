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

import java.util.Arrays;
import java.util.Objects;

/**
 * One sequence of the slice format {@code tokens}: the tokens of the slice's chunk of it, L/C of
 * them, and what belongs to each.
 *
 * @param sequence its index in the slice
 * @param tokens padding included
 * @param positions in their documents; 0 for padding
 * @param segments the number of the document in the sequence, from 1; 0 for padding
 * @param targets the token that follows in the document; -1: none
 */
public record TokenRecord(
    SliceMetadata slice,
    int sequence,
    int[] tokens,
    int[] positions,
    int[] segments,
    int[] targets) {

  @Override
  public boolean equals(Object other) {
    return other instanceof TokenRecord that
        && slice.equals(that.slice)
        && sequence == that.sequence
        && Arrays.equals(tokens, that.tokens)
        && Arrays.equals(positions, that.positions)
        && Arrays.equals(segments, that.segments)
        && Arrays.equals(targets, that.targets);
  }

  @Override
  public int hashCode() {
    return Objects.hash(slice, sequence, Arrays.hashCode(tokens));
  }
}
