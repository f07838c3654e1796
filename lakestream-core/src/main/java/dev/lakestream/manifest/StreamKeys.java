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

import dev.lakestream.format.Uuids;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.regex.Pattern;

/** The names of objects in a stream (DESIGN section 3), relative to its prefix. */
public final class StreamKeys {

  public static final String STREAM = "stream";
  public static final String MANIFEST_PREFIX = "manifest/";
  public static final String SEGMENT_PREFIX = "segment/";
  public static final String DATA_PREFIX = "data/";

  private static final String MANIFEST_SUFFIX = ".manifest";
  private static final int DIGITS = 20;
  private static final int MANIFEST_LENGTH =
      MANIFEST_PREFIX.length() + DIGITS + MANIFEST_SUFFIX.length();

  private static final Pattern SEGMENT =
      Pattern.compile("segment/[0-9a-f]{2}/[0-9]{20}-[0-9a-f]{32}\\.segment");

  /** Where the random part of a segment's name begins, whose first digits spread the keys. */
  private static final int SEGMENT_ID = SEGMENT_PREFIX.length() + 3 + DIGITS + 1;

  private StreamKeys() {}

  public static String manifest(long version) {
    return MANIFEST_PREFIX + digits(version) + MANIFEST_SUFFIX;
  }

  /** The version in a manifest's name; empty for any other name, however alike. */
  public static OptionalLong manifestVersion(String key) {
    if (key.length() != MANIFEST_LENGTH
        || !key.startsWith(MANIFEST_PREFIX)
        || !key.endsWith(MANIFEST_SUFFIX)) {
      return OptionalLong.empty();
    }
    return parse(key, MANIFEST_PREFIX.length());
  }

  /** The version that a segment was written for is in its name: that tells when it is garbage. */
  public static String segment(long version, UUID id) {
    String hex = Uuids.hex(id);
    return SEGMENT_PREFIX + hex.substring(0, 2) + "/" + digits(version) + "-" + hex + ".segment";
  }

  /** The version in a segment's name; empty for any other name, however alike. */
  public static OptionalLong segmentVersion(String key) {
    if (!SEGMENT.matcher(key).matches()
        || !key.regionMatches(SEGMENT_PREFIX.length(), key, SEGMENT_ID, 2)) {
      return OptionalLong.empty();
    }
    return parse(key, SEGMENT_PREFIX.length() + 3);
  }

  static String digits(long version) {
    String plain = Long.toString(version);
    return "0".repeat(DIGITS - plain.length()) + plain;
  }

  private static OptionalLong parse(String key, int from) {
    for (int i = from; i < from + DIGITS; i++) {
      if (key.charAt(i) < '0' || key.charAt(i) > '9') {
        return OptionalLong.empty();
      }
    }
    try {
      return OptionalLong.of(Long.parseLong(key, from, from + DIGITS, 10));
    } catch (NumberFormatException tooLarge) {
      return OptionalLong.empty();
    }
  }
}
