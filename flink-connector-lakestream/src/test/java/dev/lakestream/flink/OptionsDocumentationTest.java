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
package dev.lakestream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.flink.sink.LakestreamSinkOptions;
import dev.lakestream.flink.source.LakestreamSourceOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.api.Test;

/** Holds the tables in docs/options.md to the options; a failure shows what they must say. */
class OptionsDocumentationTest {

  @Test
  void theTableOfTheSinkIsThatOfItsOptions() throws Exception {
    assertTable("sink", LakestreamSinkOptions.all());
  }

  @Test
  void theTableOfTheSourceIsThatOfItsOptions() throws Exception {
    assertTable("source", LakestreamSourceOptions.all());
  }

  private static void assertTable(String name, List<ConfigOption<?>> options) throws Exception {
    String begin = "<!-- " + name + " options -->\n";
    String end = "<!-- end of " + name + " options -->";
    String page = Files.readString(Path.of("..", "docs", "options.md"));

    assertThat(page).contains(begin, end);
    assertThat(page.substring(page.indexOf(begin) + begin.length(), page.indexOf(end)))
        .isEqualTo(table(options));
  }

  private static String table(List<ConfigOption<?>> options) {
    StringBuilder table =
        new StringBuilder("| option | default | meaning |\n| --- | --- | --- |\n");
    for (ConfigOption<?> option : options) {
      table
          .append("| `")
          .append(option.key())
          .append("` | ")
          .append(value(option.defaultValue()))
          .append(" | ")
          .append(new HtmlFormatter().format(option.description()))
          .append(" |\n");
    }
    return table.toString();
  }

  private static String value(Object value) {
    if (value == null) {
      return "(none)";
    }
    if (value instanceof Duration duration) {
      return TimeUtils.formatWithHighestUnit(duration);
    }
    return value.toString().toLowerCase(Locale.ROOT);
  }
}
