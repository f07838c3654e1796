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

import dev.lakestream.batch.EventTimeRange;
import java.time.Instant;
import java.util.Locale;

/** Values as people read them; the same in every locale and time zone. */
final class Text {

  private static final String UNITS = "KMGTPE";

  private Text() {}

  static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Bytes, in powers of 1024. */
  static String size(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    int unit = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
    double value = (double) bytes / (1L << (10 * unit));
    return String.format(Locale.ROOT, "%.1f %siB", value, UNITS.charAt(unit - 1));
  }

  static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  static String eventTime(EventTimeRange range) {
    return range == null ? "" : time(range.min()) + " … " + time(range.max());
  }

  /** Steps as an inclusive range. */
  static String steps(long from, long next) {
    if (next <= from) {
      return "none";
    }
    return next - from == 1 ? number(from) : number(from) + " … " + number(next - 1);
  }

  static String count(long n, String one) {
    return number(n) + " " + one + (n == 1 ? "" : "s");
  }

  /** What does not print is shown as its code, so that no terminal obeys it. */
  static String printable(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '\n' -> shown.append("\\n");
                case '\r' -> shown.append("\\r");
                case '\t' -> shown.append("\\t");
                default -> {
                  if (Character.isISOControl(c)) {
                    shown.append(String.format(Locale.ROOT, "\\u%04x", c));
                  } else {
                    shown.appendCodePoint(c);
                  }
                }
              }
            });
    return shown.toString();
  }
}
