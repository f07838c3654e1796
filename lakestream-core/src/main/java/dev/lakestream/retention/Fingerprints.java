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
package dev.lakestream.retention;

import java.util.Arrays;

/**
 * A set of names as 64-bit hashes: 11 to 22 bytes a name. It may take two names for one (with ten
 * million of them, once in 370,000 runs): what it says of a name it has seen is to be confirmed.
 */
final class Fingerprints {

  private long[] table = new long[1024];
  private int size;

  /** Whether the name is new. */
  boolean add(String name) {
    if (size >= table.length / 4 * 3) {
      long[] old = table;
      table = new long[2 * old.length];
      Arrays.stream(old).filter(hash -> hash != 0).forEach(hash -> table[place(hash)] = hash);
    }
    long hash = hash(name);
    int place = place(hash);
    boolean isNew = table[place] == 0;
    table[place] = hash;
    size += isNew ? 1 : 0;
    return isNew;
  }

  boolean contains(String name) {
    return table[place(hash(name))] != 0;
  }

  private int place(long hash) {
    int place = (int) hash & (table.length - 1);
    while (table[place] != 0 && table[place] != hash) {
      place = (place + 1) & (table.length - 1);
    }
    return place;
  }

  /** FNV-1a, mixed once more; never 0. */
  private static long hash(String name) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    return hash == 0 ? 1 : hash;
  }
}
