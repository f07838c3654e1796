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

import dev.lakestream.format.CorruptObjectException;

/** How a token is stored. */
public enum TokenWidth {
  /** Two bytes: vocabularies of up to 65,536 tokens, at half the bytes. */
  U16(2, 0xFFFF),
  /** Four bytes: token ids up to 2^31 - 1. */
  U32(4, Integer.MAX_VALUE);

  private final int bytes;
  private final int maxToken;

  TokenWidth(int bytes, int maxToken) {
    this.bytes = bytes;
    this.maxToken = maxToken;
  }

  /** The narrowest width that holds the tokens {@code 0 … vocabularySize - 1}. */
  public static TokenWidth forVocabulary(int vocabularySize) {
    return vocabularySize - 1 <= U16.maxToken ? U16 : U32;
  }

  static TokenWidth ofBytes(int bytes, String what) {
    return switch (bytes) {
      case 2 -> U16;
      case 4 -> U32;
      default -> throw new CorruptObjectException(what + " states tokens of " + bytes + " bytes.");
    };
  }

  /** So many bytes a token. */
  public int bytes() {
    return bytes;
  }

  /** The largest token id. */
  public int maxToken() {
    return maxToken;
  }

  /** Whether the token can be stored. */
  public boolean holds(int token) {
    return token >= 0 && token <= maxToken;
  }
}
