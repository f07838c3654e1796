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
package dev.lakestream.store;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The last changes of a store, so that it can be listed as it was before them. Thread-safe. */
final class StoreHistory {

  private static final int LENGTH = 10_000;

  private final ObjectStore store;
  private final List<Change> changes = new ArrayList<>();

  StoreHistory(ObjectStore store) {
    this.store = store;
  }

  /** What a key held before it changed; null: nothing. */
  private record Change(String key, Listing.Entry before) {}

  /** What a key holds; null: nothing. */
  Listing.Entry entry(String key) {
    List<Listing.Entry> first = Futures.await(store.list(key, "", 1)).objects();
    return first.isEmpty() || !first.get(0).key().equals(key) ? null : first.get(0);
  }

  /** A key has changed that held {@code before}. */
  void remember(String key, Listing.Entry before) {
    synchronized (changes) {
      if (changes.size() == LENGTH) {
        changes.remove(0);
      }
      changes.add(new Change(key, before));
    }
  }

  /** Everything under a prefix, as it was before the last changes. */
  TreeMap<String, Listing.Entry> contents(String prefix, int changesAgo) {
    TreeMap<String, Listing.Entry> contents = new TreeMap<>(Keys.ORDER);
    String after = "";
    Listing page;
    do {
      page = Futures.await(store.list(prefix, after, 1000));
      for (Listing.Entry entry : page.objects()) {
        contents.put(entry.key(), entry);
        after = entry.key();
      }
    } while (page.truncated());
    synchronized (changes) {
      for (int i = changes.size() - 1; i >= Math.max(0, changes.size() - changesAgo); i--) {
        Change change = changes.get(i);
        if (change.before == null) {
          contents.remove(change.key);
        } else if (change.key.startsWith(prefix)) {
          contents.put(change.key, change.before);
        }
      }
    }
    return contents;
  }
}
