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
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where the build has put what is tested. */
final class Environment {

  /** Of the checkout. */
  static final Path ROOT = Path.of(System.getProperty("lakestream.root"));

  static final Path SQL_JAR =
      ROOT.resolve(
          "flink-sql-lakestream/target/flink-sql-lakestream-"
              + System.getProperty("lakestream.version")
              + ".jar");

  /** {@code lib} and {@code plugins} of a Flink installation without Lakestream. */
  static final Path FLINK = ROOT.resolve("e2e-tests/flink/target");

  private Environment() {}

  /** Fails, and does not skip: these tests run behind the phase that packages the jar. */
  static void requireSqlJar() {
    assertThat(SQL_JAR)
        .as("the jar that the phase package makes of flink-sql-lakestream: run with verify")
        .exists();
  }

  /** What Flink's launch scripts open of the JDK; this process was started with the same. */
  static List<String> jdkOpens() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--add-opens") || option.startsWith("--add-exports"))
        .toList();
  }

  /** An empty directory under {@code target}, which stays for whoever looks for a fault. */
  static Path freshDirectory(String name) {
    Path directory = ROOT.resolve("e2e-tests/target/e2e").resolve(name);
    try {
      delete(directory);
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Links are deleted, not followed. */
  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
