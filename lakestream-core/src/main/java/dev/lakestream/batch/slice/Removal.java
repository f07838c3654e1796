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

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Which records are to be taken out of the slices of a step. */
public sealed interface Removal {

  /**
   * Records by their numbers, as they stand in the slice now.
   *
   * @param dp the replica d
   * @param cp the chunk c; of a format that cuts sequences into chunks, any: all chunks of the
   *     record go
   * @param records from 0
   */
  record Records(int dp, int cp, SortedSet<Integer> records) implements Removal {

    public Records {
      records = new TreeSet<>(records);
      if (dp < 0 || cp < 0 || records.isEmpty() || records.first() < 0) {
        throw new IllegalArgumentException(
            "No records " + records + " of slice (" + dp + ", " + cp + ") can be taken out.");
      }
    }

    @Override
    public String toString() {
      return "records " + records + " of slice (" + dp + ", " + cp + ")";
    }
  }

  /**
   * Documents, wherever they are.
   *
   * @param ids sample ids of the format {@code tokens}, unsigned
   */
  record Samples(Set<Long> ids) implements Removal {

    public Samples {
      ids = Set.copyOf(ids);
    }

    @Override
    public String toString() {
      return ids.size() == 1
          ? "sample " + Long.toUnsignedString(ids.iterator().next())
          : ids.size() + " samples";
    }
  }

  /**
   * Records that have this content, wherever they are.
   *
   * @param sha256 of a record's bytes, 64 lower-case hex digits each
   */
  record Contents(Set<String> sha256) implements Removal {

    public Contents {
      sha256 = Set.copyOf(sha256);
      for (String digest : sha256) {
        if (!digest.matches("[0-9a-f]{64}")) {
          throw new IllegalArgumentException(
              "\"" + digest + "\" is no SHA-256 digest: 64 lower-case hex digits.");
        }
      }
    }

    @Override
    public String toString() {
      return sha256.size() == 1
          ? "content " + sha256.iterator().next()
          : sha256.size() + " contents";
    }
  }
}
