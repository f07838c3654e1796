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
package dev.lakestream.flink.source;

import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;

/** Which options a mode needs, and which contradict it. */
final class OptionChecks {

  private final ReadableConfig options;
  private final String mode;

  OptionChecks(ReadableConfig options, ConfigOption<?> mode, Object value) {
    this.options = options;
    this.mode = "'" + mode.key() + "' = '" + value + "'";
  }

  /** Fails if the option is missing although it is used, or set although it is not. */
  void onlyWith(ConfigOption<?> option, boolean used) {
    if (used) {
      needed(option);
    } else if (options.getOptional(option).isPresent()) {
      throw new IllegalArgumentException(
          "Lakestream source: '" + option.key() + "' is set, and " + mode + " does not use it.");
    }
  }

  <T> T needed(ConfigOption<T> option) {
    return options
        .getOptional(option)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Lakestream source: " + mode + " needs '" + option.key() + "'."));
  }
}
