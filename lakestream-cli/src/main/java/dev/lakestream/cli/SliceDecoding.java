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
package dev.lakestream.cli;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import com.knuddels.jtokkit.api.IntArrayList;
import dev.lakestream.LakestreamException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Tokens back into text. */
@FunctionalInterface
interface SliceDecoding {

  /** Leaves tokens as numbers. */
  SliceDecoding NONE = tokens -> Optional.empty();

  /** Empty: they are to be shown as numbers. */
  Optional<String> text(int[] tokens);

  /** The encoding of this name, as tokenizers call it. */
  static SliceDecoding named(String name) {
    Encoding encoding =
        EncodingType.fromName(name.toLowerCase(Locale.ROOT))
            .map(type -> Encodings.newLazyEncodingRegistry().getEncoding(type))
            .orElseThrow(
                () ->
                    new LakestreamException(
                        "Unknown encoding '"
                            + name
                            + "'. Known are: "
                            + Arrays.stream(EncodingType.values())
                                .map(EncodingType::getName)
                                .collect(Collectors.joining(", "))
                            + "."));
    return tokens -> {
      IntArrayList list = new IntArrayList(tokens.length);
      for (int token : tokens) {
        list.add(token);
      }
      try {
        // Bytes: a token may end in the middle of a character.
        return Optional.of(new String(encoding.decodeBytes(list), StandardCharsets.UTF_8));
      } catch (IllegalArgumentException notOfThisEncoding) {
        return Optional.empty();
      }
    };
  }
}
