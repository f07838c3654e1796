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

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The owners of a producer that came before those that its entry keeps whole. Of the newest of them
 * a mark is left, so that they are still told from newcomers, and in which order they came.
 *
 * <p>Assumption: owner ids are random. A newcomer then has the mark of a forgotten owner once in
 * 150 million starts; it is refused as fenced, loses nothing, and gets through with its next
 * submission.
 *
 * @param count all of them, those without a mark too
 * @param marks of the newest {@link #MAX_MARKS}, oldest first, four bytes each
 */
public record ForgottenOwners(int count, ByteString marks) {

  public static final int MAX_MARKS = 29;

  public static final ForgottenOwners NONE = new ForgottenOwners(0, ByteString.EMPTY);

  static final int MARK_BYTES = 4;

  public ForgottenOwners {
    if (count < 0 || marks.size() % MARK_BYTES != 0 || marks.size() / MARK_BYTES > count) {
      throw new IllegalArgumentException(
          count + " owners with " + marks.size() + " bytes of marks");
    }
  }

  /** How many of them have a mark. */
  int marked() {
    return marks.size() / MARK_BYTES;
  }

  /** The place among the marks; -1: not one of them, or one whose mark is gone as well. */
  int orderOf(UUID owner) {
    ByteString mark = mark(owner);
    for (int i = marked() - 1; i >= 0; i--) {
      if (marks.substring(i * MARK_BYTES, (i + 1) * MARK_BYTES).equals(mark)) {
        return i;
      }
    }
    return -1;
  }

  ForgottenOwners with(Owner owner) {
    ByteString all = marks.concat(mark(owner.id()));
    int from = Math.max(0, all.size() - MAX_MARKS * MARK_BYTES);
    return new ForgottenOwners(count + 1, all.substring(from));
  }

  /** The four words of the id, each the most significant byte first, XORed. */
  private static ByteString mark(UUID owner) {
    long words = owner.getMostSignificantBits() ^ owner.getLeastSignificantBits();
    int mark = (int) (words >>> 32) ^ (int) words;
    return ByteString.copyFrom(ByteBuffer.allocate(MARK_BYTES).putInt(0, mark));
  }
}
