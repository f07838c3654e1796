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
package dev.lakestream.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputTextTest {

  @TempDir Path directory;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private InputText read() {
    Screen screen =
        new Screen(new PrintStream(printed, true, StandardCharsets.UTF_8), 0, false, false);
    try (Screen.Bar bar = screen.bar("tokenising", "files", 0, 2)) {
      return InputText.read(directory, InputText.files(directory), bar);
    }
  }

  @Test
  void filesAreReadAtAnyDepthAndHiddenOnesAreNot() throws IOException {
    Files.writeString(directory.resolve("a.txt"), "hello hello");
    Files.writeString(Files.createDirectories(directory.resolve("x/y")).resolve("b"), "world");
    Files.writeString(directory.resolve("empty"), "");
    Files.writeString(directory.resolve(".hidden"), "no");
    Files.writeString(Files.createDirectories(directory.resolve("_tmp")).resolve("c"), "no");
    InputText text = read();
    assertThat(text.documents())
        .extracting(InputText.Tokens::name)
        .containsExactly("a.txt", "x/y/b");
    assertThat(text.bytes()).isEqualTo(16);
    assertThat(text.tokens()).isEqualTo(3);
    assertThat(text.shortest()).isEqualTo(1);
    assertThat(text.longest()).isEqualTo(2);
  }

  @Test
  void aDirectoryWithoutTextIsAClearError() {
    assertThatThrownBy(this::read)
        .isInstanceOf(QuickstartException.class)
        .hasMessageContaining(directory.toString());
  }

  @Test
  void elsewhereThanOnATerminalProgressIsPlainLines() throws IOException {
    Files.writeString(directory.resolve("a.txt"), "a");
    Files.writeString(directory.resolve("b.txt"), "b");
    read();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .isEqualToNormalizingNewlines(
            """
               tokenising  50 %  1 of 2 files
               tokenising 100 %  2 of 2 files
            """);
  }
}
