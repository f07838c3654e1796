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
package dev.lakestream.manifest;

import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Suffix;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A store that can only list, and whose manifests are a range of numbers that nobody has written: a
 * million cost nothing. Other keys can lie between them.
 */
final class ListingStore implements ObjectStore {

  private final long from;
  private final long to;
  private final TreeSet<String> neighbours = new TreeSet<>();
  private int pageSize = 1000;
  private Random shuffled;
  int requests;

  /** Manifests {@code from} (inclusive) to {@code to} (exclusive). */
  ListingStore(long from, long to) {
    this.from = from;
    this.to = to;
  }

  ListingStore with(String... keys) {
    neighbours.addAll(List.of(keys));
    return this;
  }

  ListingStore pageSize(int objects) {
    this.pageSize = objects;
    return this;
  }

  /** Keys come in random order within a page. */
  ListingStore shuffled(long seed) {
    this.shuffled = new Random(seed);
    return this;
  }

  @Override
  public String address() {
    return "list:";
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    requests++;
    int size = Math.min(limit, pageSize);
    long next = firstAfter(startAfter);
    var others = neighbours.tailSet(startAfter, false).iterator();
    String other = others.hasNext() ? others.next() : null;
    List<Listing.Entry> page = new ArrayList<>();
    boolean truncated = false;
    while (next < to || other != null) {
      if (page.size() == size) {
        truncated = true;
        break;
      }
      String manifest = next < to ? StreamKeys.manifest(next) : null;
      boolean takeManifest = manifest != null && (other == null || manifest.compareTo(other) < 0);
      page.add(new Listing.Entry(takeManifest ? manifest : other, 1, 0));
      if (takeManifest) {
        next++;
      } else {
        other = others.hasNext() ? others.next() : null;
      }
    }
    if (shuffled != null) {
      Collections.shuffle(page, shuffled);
    }
    return CompletableFuture.completedFuture(new Listing(page, truncated));
  }

  private long firstAfter(String startAfter) {
    long low = from;
    long high = to;
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (StreamKeys.manifest(middle).compareTo(startAfter) > 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
