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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The whole quickstart in processes of its own, over a small part of its input. */
class QuickstartITCase {

  private static final long INPUT_BYTES = 4_000_000;

  @TempDir Path directory;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private int quickstart(String... arguments) {
    Screen screen =
        new Screen(new PrintStream(printed, true, StandardCharsets.UTF_8), 0, false, false);
    return new CommandLine(new Quickstart(screen, directory, directory)).execute(arguments);
  }

  private String screen() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  private void smallInput() throws IOException {
    Path all = Path.of("target/input");
    List<Path> files = InputText.files(all);
    long bytes = 0;
    for (int i = 0; bytes < INPUT_BYTES; i++) {
      Path copy = directory.resolve("some text").resolve(all.relativize(files.get(i)));
      Files.createDirectories(copy.getParent());
      Files.copy(files.get(i), copy);
      bytes += Files.size(copy);
    }
  }

  @Test
  void aJobThatIsKilledAndRestoredDeliversEveryTokenOnce() throws IOException {
    smallInput();
    int status =
        quickstart(
            "--input",
            "some text",
            "--dir",
            "a run",
            "--checkpoint-interval",
            "100",
            "--kill-at",
            "1");
    assertThat(screen())
        .contains(
            "killed", "restored", "PROVED: each token", "bin/lakestream verify 'a run/stream'");
    assertThat(status).isZero();
    assertThat(directory.resolve("a run/stream/stream")).exists();
    assertThat(directory.resolve("a run/ranks")).doesNotExist();
  }

  @Test
  void anInputThatIsNotThereIsAClearMessage() {
    assertThat(quickstart("--input", "nowhere", "--dir", "a run")).isEqualTo(1);
    assertThat(screen()).contains("FAILED", directory.resolve("nowhere").toString());
  }
}
