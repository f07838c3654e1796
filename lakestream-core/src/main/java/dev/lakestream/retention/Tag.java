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

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A name for a range of steps, which are held as long as the tag is there.
 *
 * @param streamId refused by every other stream (invariant I10)
 * @param name letters, digits, '.', '_' and '-', 128 at most
 * @param firstStep the first step of the range
 * @param nextStep one past the last step of the range
 * @param createdAt for people
 * @param comment for people
 */
public record Tag(
    UUID streamId, String name, long firstStep, long nextStep, long createdAt, String comment) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");
  private static final int MAX_COMMENT = 4096;

  public Tag {
    requireName(name);
    if (firstStep < 0 || nextStep <= firstStep) {
      throw new IllegalArgumentException(
          "Tag \"" + name + "\" from step " + firstStep + " to before " + nextStep + " is empty.");
    }
    if (comment.length() > MAX_COMMENT) {
      throw new IllegalArgumentException(
          "The comment of tag \"" + name + "\" is longer than " + MAX_COMMENT + " characters.");
    }
  }

  static boolean isName(String name) {
    return NAME.matcher(name).matches() && !name.equals(".") && !name.equals("..");
  }

  /** The name itself, if it can be part of a key in every store. */
  public static String requireName(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "\"" + name + "\" cannot be the name of a tag: 1 to 128 letters, digits, '.', '_', '-'.");
    }
    return name;
  }
}
