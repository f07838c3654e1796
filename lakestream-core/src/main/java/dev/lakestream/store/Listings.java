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

import java.util.function.Consumer;

/** Listings that go on to the end. */
public final class Listings {

  private static final int PAGE = 1000;

  private Listings() {}

  /** Hands over every object below a prefix, page by page, in the order of the store. */
  public static void forEach(ObjectStore store, String prefix, Consumer<Listing.Entry> taker) {
    String after = "";
    boolean more = true;
    while (more) {
      Listing page = Futures.await(store.list(prefix, after, PAGE));
      String last = after;
      for (Listing.Entry entry : page.objects()) {
        last = entry.key();
        taker.accept(entry);
      }
      more = page.truncated() && !last.equals(after);
      after = last;
    }
  }
}
