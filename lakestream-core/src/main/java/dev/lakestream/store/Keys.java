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

import java.util.Comparator;
import java.util.Optional;

/**
 * The one rule for keys, used by every store and every call, so that a key that one call accepts is
 * the same object to all others. A key is taken literally: nothing is escaped or decoded.
 *
 * <p>Refused is what some store folds, drops or cannot list: empty parts, {@code .} and {@code ..},
 * control characters, and text that has no UTF-8 form.
 */
final class Keys {

  /** S3's limit for a whole key, in bytes of UTF-8. */
  static final int MAX_BYTES = 1024;

  /**
   * The order of the bytes of the UTF-8 form, which is the order of code points; {@link
   * String#compareTo} differs from it beyond the basic plane.
   */
  static final Comparator<String> ORDER = Keys::compare;

  private Keys() {}

  /** Returns the key, or fails with {@link Fault#INVALID}. */
  static String check(String address, String key) {
    if (key.isEmpty()) {
      throw new StoreException(Fault.INVALID, "An empty key is no object of " + address + ".");
    }
    defect(key)
        .ifPresent(
            defect -> {
              throw new StoreException(
                  Fault.INVALID,
                  "The key '" + printable(key) + "' cannot be used at " + address + ": " + defect);
            });
    return key;
  }

  /** What is wrong with a {@code /}-separated path; an empty path is fine. */
  static Optional<String> defect(String path) {
    if (path.isEmpty()) {
      return Optional.empty();
    }
    for (String part : path.split("/", -1)) {
      if (part.isEmpty()) {
        return Optional.of("it has an empty part (a leading, trailing or double slash).");
      }
      if (part.equals(".") || part.equals("..")) {
        return Optional.of("'.' and '..' are not allowed as parts. Write the path out.");
      }
    }
    return path.codePoints().filter(Keys::unusable).boxed().findFirst().map(Keys::describe);
  }

  /**
   * Whether a key can start with {@code prefix}. One that cannot matches nothing, and is not asked
   * for: a server that folds {@code ..} would list something else.
   */
  static boolean possiblePrefix(String prefix) {
    int slash = prefix.lastIndexOf('/');
    return slash < 0 || (slash > 0 && defect(prefix.substring(0, slash)).isEmpty());
  }

  /** For messages: what cannot be printed is shown as its code. */
  static String printable(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (unusable(c)) {
                shown.append(String.format("\\u%04x", c));
              } else {
                shown.appendCodePoint(c);
              }
            });
    return shown.toString();
  }

  private static boolean unusable(int codePoint) {
    return Character.isISOControl(codePoint)
        || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
  }

  private static String describe(int codePoint) {
    return Character.isISOControl(codePoint)
        ? String.format("it contains the control character \\u%04x.", codePoint)
        : String.format("it contains half a surrogate pair, \\u%04x.", codePoint);
  }

  private static int compare(String a, String b) {
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean pairX = Character.isSurrogate(x);
        return pairX == Character.isSurrogate(y) ? Character.compare(x, y) : pairX ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}
