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
package dev.lakestream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.flink.catalog.LakestreamCatalogOptions;
import dev.lakestream.flink.sink.LakestreamSinkOptions;
import dev.lakestream.flink.source.LakestreamSourceOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.Description;
import org.apache.flink.configuration.description.HtmlFormatter;
import org.apache.flink.util.TimeUtils;
import org.junit.jupiter.api.Test;

/**
 * Holds the tables in docs/options.md and docs/catalog.md to the code. After a change of options
 * {@code -Dlakestream.docs=write} lets this test write the tables.
 */
class OptionsDocumentationTest {

  private static final Path PAGE = Path.of("..", "docs", "options.md");
  private static final Path CATALOG_PAGE = Path.of("..", "docs", "catalog.md");

  private static Map<String, String> catalogTables() {
    return Map.of("catalog options", table(LakestreamCatalogOptions.all()));
  }

  private static Map<String, String> tables() {
    Map<String, String> tables = new LinkedHashMap<>();
    tables.put("table options", table(LakestreamTableOptions.all()));
    tables.put("sink options", table(LakestreamSinkOptions.all()));
    tables.put("source options", table(LakestreamSourceOptions.all()));
    tables.put("store options", table(StoreTableOptions.all()));
    tables.put("metadata columns", metadata());
    return tables;
  }

  @Test
  void theTablesAreThoseOfTheCode() throws IOException {
    hold(PAGE, tables());
    hold(CATALOG_PAGE, catalogTables());
  }

  private static void hold(Path path, Map<String, String> tables) throws IOException {
    String page = Files.readString(path);
    String wanted = page;
    for (Map.Entry<String, String> table : tables.entrySet()) {
      String begin = "<!-- " + table.getKey() + " -->\n";
      String end = "<!-- end of " + table.getKey() + " -->";
      assertThat(page).contains(begin, end);
      wanted =
          wanted.substring(0, wanted.indexOf(begin) + begin.length())
              + table.getValue()
              + wanted.substring(wanted.indexOf(end));
    }
    if ("write".equals(System.getProperty("lakestream.docs"))) {
      Files.writeString(path, wanted);
    } else {
      assertThat(page).isEqualTo(wanted);
    }
  }

  @Test
  void everyOptionOfATableIsOnThePage() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(new LakestreamTableFactory().optionalOptions())
        .allSatisfy(option -> assertThat(page).contains("`" + option.key() + "`"));
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
          .append(constants(option.defaultValue()))
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
    if (value instanceof MemorySize size && size.getBytes() % (1 << 20) == 0) {
      return size.getMebiBytes() + " mb";
    }
    return value.toString().toLowerCase(Locale.ROOT);
  }

  /** What each value of an enum means, if it says so itself. */
  private static String constants(Object value) {
    boolean ours = value != null && value.getClass().getName().startsWith("dev.lakestream.");
    if (!ours || !(value instanceof DescribedEnum)) {
      return "";
    }
    return Arrays.stream(((Enum<?>) value).getDeclaringClass().getEnumConstants())
        .map(one -> "`" + value(one) + "`: " + text((DescribedEnum) one))
        .collect(Collectors.joining("<br>", "<br>", ""));
  }

  private static String text(DescribedEnum constant) {
    return new HtmlFormatter()
        .format(Description.builder().text("%s", constant.getDescription()).build());
  }

  private static String metadata() {
    StringBuilder table =
        new StringBuilder("| key | type | meaning | written |\n| --- | --- | --- | --- |\n");
    for (MetadataKey key : MetadataKey.values()) {
      table
          .append("| `")
          .append(key.key())
          .append("` | `")
          .append(key.type().getLogicalType().asSummaryString())
          .append("` | ")
          .append(key.description())
          .append(" | ")
          .append(WrittenMetadata.keys().containsKey(key.key()) ? "yes" : "no: `VIRTUAL`")
          .append(" |\n");
    }
    return table.toString();
  }
}
