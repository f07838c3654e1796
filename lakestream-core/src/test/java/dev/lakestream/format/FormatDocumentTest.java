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
package dev.lakestream.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/format.md} knows every kind of object: a second implementation is written from it.
 * The constants are looked for in the source, so that none can be forgotten here.
 */
class FormatDocumentTest {

  private static final Path ROOT = Path.of("..");

  private static final Pattern MAGIC = Pattern.compile("MAGIC =\\s+\"([A-Z]{4})\"");
  private static final Pattern PREFIX = Pattern.compile("\\w*PREFIX =\\s+\"([a-z]+/)\"");
  private static final Pattern KEY = Pattern.compile("\"([a-z]+/)\" \\+ UUID");

  @Test
  void everyMagicIsInTheTable() throws IOException {
    String document = Files.readString(ROOT.resolve("docs/format.md"));
    Set<String> magics = found(MAGIC);
    assertThat(magics)
        .contains("LKST", "LKSB", "LKSM", "LKSS", "LKSW", "LKSG", "LKCU", "LKRS", "LKTS", "LKCI");
    assertThat(magics).allSatisfy(magic -> assertThat(document).contains("\n| `" + magic + "` | "));
  }

  @Test
  void everyKindOfKeyIsInTheTableOfNames() throws IOException {
    String document = Files.readString(ROOT.resolve("docs/format.md"));
    Set<String> prefixes = found(PREFIX);
    prefixes.addAll(found(KEY));
    assertThat(prefixes).contains("manifest/", "segment/", "data/", "watermark/", "tag/", "probe/");
    assertThat(prefixes)
        .allSatisfy(prefix -> assertThat(document).contains("\n| `" + prefix + "<"));
    assertThat(document).contains("\n| `stream` |");
  }

  /** So has every message of the objects its section, and every slice format its specification. */
  @Test
  void everyObjectsMessageAndEverySliceFormatIsNamed() throws IOException {
    String document = Files.readString(ROOT.resolve("docs/format.md"));
    String messages =
        Files.readString(ROOT.resolve("lakestream-core/src/main/proto/lakestream.proto"));
    Matcher object = Pattern.compile("message (\\w+Object) ").matcher(messages);
    Set<String> objects = new TreeSet<>();
    while (object.find()) {
      objects.add(object.group(1));
    }
    assertThat(objects).contains("StreamObject", "WatermarkObject", "TagObject");
    assertThat(objects).allSatisfy(name -> assertThat(document).contains("`" + name + "`"));
    String formats = Files.readString(ROOT.resolve("docs/slice-formats.md"));
    for (String format : new String[] {"raw", "records", "tokens", "arrow"}) {
      assertThat(document).contains("`" + format + "`");
      assertThat(formats).contains("\n## `" + format + "`\n");
    }
  }

  private static Set<String> found(Pattern constant) throws IOException {
    Set<String> values = new TreeSet<>();
    for (String module : new String[] {"lakestream-core", "flink-connector-lakestream"}) {
      try (Stream<Path> sources = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
          Matcher matcher = constant.matcher(Files.readString(source));
          while (matcher.find()) {
            values.add(matcher.group(1));
          }
        }
      }
    }
    return values;
  }
}
