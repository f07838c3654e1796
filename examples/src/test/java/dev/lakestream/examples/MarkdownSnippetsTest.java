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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Code in the documentation is code that compiles and that a test runs: a fenced block behind a
 * line {@code <!-- snippet: path -->} equals what stands between {@code // README:begin} and {@code
 * // README:end} in that file; in SQL they begin with {@code --}, in Python with {@code #}.
 */
class MarkdownSnippetsTest {

  private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern BLOCK =
      Pattern.compile("<!-- snippet: (\\S+) -->\\R(?:```\\w*\\R(.*?)```)?", Pattern.DOTALL);

  private static final Pattern REGION =
      Pattern.compile(
          "(?://|--|#) README:begin\\R(.*?)[ \\t]*(?://|--|#) README:end", Pattern.DOTALL);

  private record Block(String path, String code) {}

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

  private static String region(String source) {
    Matcher matcher = REGION.matcher(source);
    if (!matcher.find()) {
      throw new IllegalArgumentException("There are no README markers in the file.");
    }
    return matcher.group(1).stripTrailing().stripIndent() + "\n";
  }

  private static List<Path> documentation() throws IOException {
    try (Stream<Path> root = Files.list(CHECKOUT);
        Stream<Path> docs = Files.walk(CHECKOUT.resolve("docs"))) {
      return Stream.concat(root, docs).filter(path -> path.toString().endsWith(".md")).toList();
    }
  }

  @Test
  void codeInTheDocumentationEqualsTheSnippets() throws IOException {
    for (Path page : documentation()) {
      for (Block block : blocks(Files.readString(page))) {
        assertThat(block.code())
            .as("%s, snippet %s", page, block.path())
            .isEqualToNormalizingNewlines(region(Files.readString(CHECKOUT.resolve(block.path()))));
      }
    }
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
    assertThat(region("  {\n    // README:begin\n    int a;\n      a++;\n    // README:end\n  }\n"))
        .isEqualTo("int a;\n  a++;\n");
  }

  @Test
  void aMarkerWithoutABlockIsAnError() {
    assertThatThrownBy(() -> blocks("<!-- snippet: A.java -->\ntext\n"))
        .hasMessageContaining("A.java");
  }
}
