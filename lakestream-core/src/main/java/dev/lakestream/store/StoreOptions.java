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

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Typed access to the options of a store. An S3 option is found under its own name first, then
 * under the spellings that Flink and Hadoop use for the same thing ({@code s3.path.style.access},
 * {@code fs.s3a.access.key}), so that credentials are configured once. Never prints values of its
 * own accord: some are secrets.
 */
final class StoreOptions {

  /** The weakest first: a later one wins. */
  private static final List<String> S3_PREFIXES = List.of("fs.s3a.", "s3a.", "s3.");

  /** Hadoop's names that differ by more than dots and hyphens. */
  private static final Map<String, String> HADOOP_NAMES =
      Map.of(
          "endpoint.region", "region",
          "connection.maximum", "max.connections",
          "connection.request.timeout", "request.timeout",
          "multipart.size", "multipart.part.size",
          "encryption.algorithm", "sse.type",
          "encryption.key", "sse.kms.key.id",
          "server.side.encryption.algorithm", "sse.type",
          "server.side.encryption.key", "sse.kms.key.id");

  private static final Pattern AMOUNT = Pattern.compile("(\\d{1,18})\\s*([A-Za-z]*)");

  private final Map<String, String> options;
  private final Map<String, String> s3 = new HashMap<>();

  StoreOptions(Map<String, String> options) {
    this.options = Map.copyOf(options);
    for (String prefix : S3_PREFIXES) {
      this.options.forEach(
          (name, value) -> {
            if (name.startsWith(prefix)) {
              s3.put(canonical(name.substring(prefix.length())), value);
            }
          });
    }
  }

  private static String canonical(String name) {
    String dotted = name.replace('-', '.');
    return HADOOP_NAMES.getOrDefault(dotted, dotted);
  }

  /** Empty when it is not set, or set to blanks. */
  Optional<String> text(String name) {
    String value = options.get(name);
    if (value == null && name.startsWith("s3.")) {
      value = s3.get(canonical(name.substring("s3.".length())));
    }
    return Optional.ofNullable(value).map(String::strip).filter(found -> !found.isEmpty());
  }

  Duration duration(String name, Duration otherwise) {
    return parsed(name, otherwise, StoreOptions::duration, "a duration, such as 10 s or PT10S");
  }

  /** In bytes. */
  long size(String name, long otherwise) {
    return parsed(name, otherwise, StoreOptions::size, "a size, such as 16 MiB");
  }

  int count(String name, int otherwise) {
    return parsed(
        name,
        otherwise,
        text -> {
          int value = Integer.parseInt(text);
          return value > 0 ? Optional.of(value) : Optional.empty();
        },
        "a number above 0");
  }

  boolean flag(String name, boolean otherwise) {
    return parsed(
        name,
        otherwise,
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> Optional.of(true);
              case "false" -> Optional.of(false);
              default -> Optional.empty();
            },
        "true or false");
  }

  /** One of the constants, written in lower case with hyphens. */
  <E extends Enum<E>> E choice(String name, E otherwise) {
    E[] all = otherwise.getDeclaringClass().getEnumConstants();
    return parsed(
        name,
        otherwise,
        text -> {
          for (E one : all) {
            if (spelled(one).equals(text.toLowerCase(Locale.ROOT).replace('_', '-'))) {
              return Optional.of(one);
            }
          }
          return Optional.empty();
        },
        "one of " + String.join(", ", List.of(all).stream().map(StoreOptions::spelled).toList()));
  }

  private static String spelled(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private <T> T parsed(
      String name, T otherwise, Function<String, Optional<T>> parser, String expected) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      Optional<T> value = parser.apply(text.get());
      if (value.isPresent()) {
        return value.get();
      }
    } catch (NumberFormatException e) {
      // told below, with the name of the option
    }
    throw new StoreException(
        Fault.INVALID, "The option " + name + " = '" + text.get() + "' must be " + expected + ".");
  }

  private static Optional<Duration> duration(String text) {
    if (text.startsWith("P") || text.startsWith("p")) {
      try {
        return Optional.of(Duration.parse(text)).filter(value -> !value.isNegative());
      } catch (java.time.format.DateTimeParseException e) {
        return Optional.empty();
      }
    }
    Matcher matcher = AMOUNT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    try {
      return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
        case "", "ms", "milli", "millis", "millisecond", "milliseconds" ->
            Optional.of(Duration.ofMillis(amount));
        case "s", "sec", "secs", "second", "seconds" -> Optional.of(Duration.ofSeconds(amount));
        case "m", "min", "minute", "minutes" -> Optional.of(Duration.ofMinutes(amount));
        case "h", "hour", "hours" -> Optional.of(Duration.ofHours(amount));
        case "d", "day", "days" -> Optional.of(Duration.ofDays(amount));
        default -> Optional.empty();
      };
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static Optional<Long> size(String text) {
    Matcher matcher = AMOUNT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
          case "", "b", "bytes" -> 0;
          case "k", "kb", "kib" -> 10;
          case "m", "mb", "mib" -> 20;
          case "g", "gb", "gib" -> 30;
          default -> -1;
        };
    long amount = Long.parseLong(matcher.group(1));
    return shift < 0 || amount > (Long.MAX_VALUE >> 30)
        ? Optional.empty()
        : Optional.of(amount << shift);
  }
}
