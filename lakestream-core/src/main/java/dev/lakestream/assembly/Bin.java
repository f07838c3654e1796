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
package dev.lakestream.assembly;

import java.util.ArrayList;
import java.util.List;

/** A sequence that is being filled. */
final class Bin {

  /** A document or a part of one, and when it arrived in relation to the others. */
  record Piece(long arrival, Sample.Tokens sample) {}

  private final long number;
  private final int capacity;
  private final List<Piece> pieces = new ArrayList<>(4);
  private int used;

  /**
   * @param number in the order of opening
   * @param capacity in tokens
   */
  Bin(long number, int capacity) {
    this.number = number;
    this.capacity = capacity;
  }

  void add(Piece piece) {
    pieces.add(piece);
    used += piece.sample().length();
  }

  long number() {
    return number;
  }

  int used() {
    return used;
  }

  int room() {
    return capacity - used;
  }

  List<Piece> pieces() {
    return pieces;
  }
}
