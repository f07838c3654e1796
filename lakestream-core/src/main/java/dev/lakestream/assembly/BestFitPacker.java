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
import java.util.Collections;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * {@link Packing#BEST_FIT} with a bounded number of open bins. A placement costs O(log open bins).
 *
 * <p>When nothing fits and all bins are open, the fullest is closed: it is the one that loses
 * least. A bin that is rarely the fullest and never fits would be passed over for ever, and its
 * samples never be published; so one that {@link #PATIENCE} times as many bins were opened after as
 * may be open goes first.
 */
final class BestFitPacker implements Packer {

  private static final int PATIENCE = 8;

  /** The fullest first, and of equal ones the oldest. */
  private static final Comparator<Bin> FULLEST =
      Comparator.comparingInt(Bin::room).thenComparingLong(Bin::number);

  private final int capacity;
  private final int maxOpen;
  private final Consumer<Bin> closed;

  /** A bin's place depends on its room: it is taken out before it changes. */
  private final TreeSet<Bin> byRoom = new TreeSet<>(FULLEST);

  private final TreeSet<Bin> byAge = new TreeSet<>(Comparator.comparingLong(Bin::number));
  private long opened;

  BestFitPacker(int capacity, int maxOpen, Consumer<Bin> closed) {
    this.capacity = capacity;
    this.maxOpen = maxOpen;
    this.closed = closed;
  }

  @Override
  public void add(Bin.Piece document) {
    Sample.Tokens sample = document.sample();
    int length = sample.length();
    int from = 0;
    for (; length - from > capacity; from += capacity) {
      place(new Bin.Piece(document.arrival(), sample.piece(from, from + capacity)));
    }
    // The tail waits in its bin, and must not keep a long document in memory.
    Sample.Tokens tail = sample.piece(from, length);
    place(new Bin.Piece(document.arrival(), from > 0 ? tail.detached() : tail));
  }

  private void place(Bin.Piece piece) {
    int length = piece.sample().length();
    if (length == capacity) {
      Bin bin = new Bin(opened++, capacity);
      bin.add(piece);
      closed.accept(bin);
      return;
    }
    Bin bin = byRoom.ceiling(new Bin(-1, length));
    if (bin == null) {
      if (byRoom.size() == maxOpen) {
        close(next());
      }
      bin = new Bin(opened++, capacity);
      byAge.add(bin);
    } else {
      byRoom.remove(bin);
    }
    bin.add(piece);
    byRoom.add(bin);
    if (bin.room() == 0) {
      close(bin);
    }
  }

  private Bin next() {
    Bin oldest = byAge.first();
    return opened - oldest.number() > (long) PATIENCE * maxOpen ? oldest : byRoom.first();
  }

  private void close(Bin bin) {
    byRoom.remove(bin);
    byAge.remove(bin);
    closed.accept(bin);
  }

  @Override
  public Collection<Bin> open() {
    return Collections.unmodifiableCollection(byAge);
  }

  @Override
  public void closeAll() {
    while (!byRoom.isEmpty()) {
      close(byRoom.first());
    }
  }
}
