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
package dev.lakestream.examples.quickstart;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import com.knuddels.jtokkit.api.IntArrayList;
import java.nio.charset.StandardCharsets;

/** The byte-pair encoding {@code cl100k_base}. Safe for use by several threads. */
final class Tokenizer {

  static final String NAME = "cl100k_base";

  private final Encoding encoding =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.CL100K_BASE);

  int[] encode(String text) {
    return encoding.encodeOrdinary(text).toArray();
  }

  /** The bytes of the text in UTF-8, each a token from 0 to 255. */
  static int[] bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int[] tokens = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      tokens[i] = Byte.toUnsignedInt(bytes[i]);
    }
    return tokens;
  }

  String decode(int[] tokens) {
    IntArrayList list = new IntArrayList(tokens.length);
    for (int token : tokens) {
      list.add(token);
    }
    return encoding.decode(list);
  }
}
