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

import java.util.List;

/**
 * One page of a listing.
 *
 * @param objects as the store returned them; ascending by the bytes of the key in a store that
 *     keeps the rules
 * @param truncated whether more objects follow this page
 */
public record Listing(List<Entry> objects, boolean truncated) {

  public Listing {
    objects = List.copyOf(objects);
  }

  /**
   * One object in a listing.
   *
   * @param key relative to the root of the store
   * @param length in bytes
   * @param lastModified in milliseconds since the epoch, by the store's clock
   */
  public record Entry(String key, long length, long lastModified) {}
}
