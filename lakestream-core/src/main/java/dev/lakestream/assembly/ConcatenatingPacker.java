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

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** {@link Packing#CONCATENATE}: one open bin, filled to the last token. */
final class ConcatenatingPacker implements Packer {

  private final int capacity;
  private final Consumer<Bin> closed;
  private long opened;
  private Bin bin;

  ConcatenatingPacker(int capacity, Consumer<Bin> closed) {
    this.capacity = capacity;
    this.closed = closed;
  }

  @Override
  public void add(Bin.Piece document) {
    Sample.Tokens sample = document.sample();
    int length = sample.length();
    for (int from = 0; from < length; ) {
      if (bin == null) {
        bin = new Bin(opened++, capacity);
      }
      int to = from + Math.min(bin.room(), length - from);
      Sample.Tokens piece = sample.piece(from, to);
      // The part that stays behind must not keep a long document in memory.
      boolean staysBehind = from > 0 && to == length && to - from < bin.room();
      bin.add(new Bin.Piece(document.arrival(), staysBehind ? piece.detached() : piece));
      from = to;
      if (bin.room() == 0) {
        closeAll();
      }
    }
  }

  @Override
  public Collection<Bin> open() {
    return bin == null ? List.of() : List.of(bin);
  }

  @Override
  public void closeAll() {
    if (bin != null) {
      Bin full = bin;
      bin = null;
      closed.accept(full);
    }
  }
}
