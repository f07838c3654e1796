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
package dev.lakestream.benchmarks;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of one benchmark, ratios first, printed as {@code RESULT name key=value …}. */
final class Result {

  private final String name;
  private final Map<String, String> figures = new LinkedHashMap<>();

  Result(String name) {
    this.name = name;
  }

  Result with(String key, double value) {
    figures.put(key, String.format(Locale.ROOT, "%.3f", value));
    return this;
  }

  Result with(String key, long value) {
    figures.put(key, Long.toString(value));
    return this;
  }

  @Override
  public String toString() {
    return "RESULT "
        + name
        + figures.entrySet().stream()
            .map(figure -> " " + figure.getKey() + "=" + figure.getValue())
            .collect(Collectors.joining());
  }
}
