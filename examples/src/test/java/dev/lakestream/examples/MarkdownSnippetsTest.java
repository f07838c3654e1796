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
package dev.lakestream.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Code in the documentation is code that compiles and that a test runs: a fenced block behind a
 * line {@code <!-- snippet: path -->} equals what stands between {@code // README:begin} and {@code
 * // README:end} in that file; in SQL they begin with {@code --}, in Python with {@code #}. A file
 * may have more of them, with names: {@code path#name} is at {@code // README:begin name}. Blocks
 * without it are no code: commands, layouts, and what has gaps for the reader to fill.
 */
class MarkdownSnippetsTest {

  private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern BLOCK =
      Pattern.compile("<!-- snippet: (\\S+) -->\\R(?:```\\w*\\R(.*?)```)?", Pattern.DOTALL);

  private static final Pattern FENCE = Pattern.compile("\\s*```(\\w*).*");

  /** What a block without a marker may call itself. */
  private static final Set<String> NO_CODE = Set.of("", "text", "console");

  private record Block(String path, String code) {

    /** The code between the markers in the file. */
    String wanted() throws IOException {
      String[] parts = path.split("#", 2);
      return region(Files.readString(CHECKOUT.resolve(parts[0])), parts.length > 1 ? parts[1] : "");
    }
  }

  private static List<Block> blocks(String markdown) {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(markdown);
    while (matcher.find()) {
      if (matcher.group(2) == null) {
        throw new IllegalArgumentException(
            "No fenced block follows the snippet " + matcher.group(1));
      }
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  private static String region(String source, String name) {
    String begin = name.isEmpty() ? "README:begin" : "README:begin " + Pattern.quote(name);
    Matcher matcher =
        Pattern.compile(
                "(?://|--|#) " + begin + "\\R(.*?)[ \\t]*(?://|--|#) README:end", Pattern.DOTALL)
            .matcher(source);
    if (!matcher.find()) {
      throw new IllegalArgumentException("There is no " + begin + " in the file.");
    }
    return matcher.group(1).stripTrailing().stripIndent() + "\n";
  }

  /** Lines that open a block of code and do not say where it is from. */
  private static List<String> unmarked(String markdown) {
    List<String> found = new ArrayList<>();
    boolean inside = false;
    String before = "";
    for (String line : markdown.lines().toList()) {
      Matcher fence = FENCE.matcher(line);
      if (fence.matches()) {
        if (!inside && !NO_CODE.contains(fence.group(1)) && !before.startsWith("<!-- snippet: ")) {
          found.add(line);
        }
        inside = !inside;
      }
      before = line;
    }
    return found;
  }

  private static List<Path> documentation() throws IOException {
    try (Stream<Path> root = Files.list(CHECKOUT);
        Stream<Path> docs = Files.walk(CHECKOUT.resolve("docs"));
        Stream<Path> python = Files.list(CHECKOUT.resolve("lakestream-python"))) {
      return Stream.of(root, docs, python)
          .flatMap(pages -> pages)
          .filter(path -> path.toString().endsWith(".md"))
          .toList();
    }
  }

  @Test
  void codeInTheDocumentationEqualsTheSnippets() throws IOException {
    for (Path page : documentation()) {
      for (Block block : blocks(Files.readString(page))) {
        assertThat(block.code())
            .as("%s, snippet %s", page, block.path())
            .isEqualToNormalizingNewlines(block.wanted());
      }
    }
  }

  @Test
  void noCodeInTheDocumentationIsWrittenByHand() throws IOException {
    for (Path page : documentation()) {
      assertThat(unmarked(Files.readString(page)))
          .as("blocks without a snippet in %s", page)
          .isEmpty();
    }
  }

  @Test
  void aBlockOfCodeWithoutAMarkerIsFound() {
    String marked = "<!-- snippet: A.java -->\n```java\nint a;\n```\n";
    String plain = "```\ncd x\n```\n```text\nx = …\n```\n";
    assertThat(unmarked(marked + plain)).isEmpty();
    assertThat(unmarked(marked + plain + "\n```sql\nSELECT 1\n```\n")).containsExactly("```sql");
  }

  @Test
  void aRegionMayHaveAName() {
    String source = "// README:begin\none\n// README:end\n// README:begin two\n2\n// README:end\n";
    assertThat(region(source, "")).isEqualTo("one\n");
    assertThat(region(source, "two")).isEqualTo("2\n");
    assertThatThrownBy(() -> region(source, "three")).hasMessageContaining("three");
  }

  @Test
  void theReadmeShowsHowToWriteAndHowToRead() throws IOException {
    assertThat(blocks(Files.readString(CHECKOUT.resolve("README.md"))))
        .extracting(block -> Path.of(block.path()).getFileName().toString())
        .contains("DataStreamSnippet.java", "RankLoopSnippet.java", "readme_loop.py");
  }

  @Test
  void aBlockEndsAtItsFenceAndARegionLosesItsIndent() {
    String markdown =
        "x\n<!-- snippet: A.java -->\n```java\nint a;\n  a++;\n```\n```\nother\n```\n";
    assertThat(blocks(markdown)).containsExactly(new Block("A.java", "int a;\n  a++;\n"));
    assertThat(
            region(
                "  {\n    // README:begin\n    int a;\n      a++;\n    // README:end\n  }\n", ""))
        .isEqualTo("int a;\n  a++;\n");
  }

  @Test
  void aMarkerWithoutABlockIsAnError() {
    assertThatThrownBy(() -> blocks("<!-- snippet: A.java -->\ntext\n"))
        .hasMessageContaining("A.java");
  }
}
