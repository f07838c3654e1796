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
package dev.lakestream.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The commands in {@code bin}, called as a person calls them. */
class QuickstartE2ETest {

  private final Path directory = Environment.freshDirectory("quickstart");

  @Test
  void theQuickstartProvesEveryTokenAndTheCommandsReadWhatItLeft() throws Exception {
    String bin = Environment.ROOT.resolve("bin") + "/";

    String quickstart = run(bin + "quickstart --dir run");
    assertThat(quickstart)
        .contains("kill -9 ", "restored", "PROVED: each token of the input arrived exactly once")
        .contains("0 missing, 0 repeated, 0 changed, 0 foreign");

    assertThat(run(bin + "lakestream verify run/stream")).contains("INTACT at manifest");
    assertThat(run(bin + "lakestream read run/stream --step 0 --dp 0 --cp 0 --format tokens"))
        .contains("sequence");

    List<String> next =
        quickstart
            .substring(quickstart.indexOf("What to run next"))
            .lines()
            .map(String::strip)
            .filter(line -> line.contains("bin/lakestream"))
            .toList();
    assertThat(next).hasSizeGreaterThan(1);
    for (String command : next) {
      assertThat(run(command)).isNotBlank();
    }
  }

  /** What it prints on standard output; it must end with status 0. */
  private String run(String command) throws Exception {
    Path out = directory.resolve("stdout");
    Path error = directory.resolve("stderr");
    Process process =
        new ProcessBuilder("bash", "-o", "pipefail", "-c", command)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(error.toFile())
            .start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as(command + " ends").isTrue();
      assertThat(process.exitValue()).as(() -> command + "\n" + text(out) + text(error)).isZero();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return text(out);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(" + file + " cannot be read: " + e + ")";
    }
  }
}
