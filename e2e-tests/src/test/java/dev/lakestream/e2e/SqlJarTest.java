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
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in the jar that goes into Flink's lib folder, and what is not. */
class SqlJarTest {

  private static final Path JAR =
      Path.of(
          System.getProperty("lakestream.root"),
          "flink-sql-lakestream",
          "target",
          "flink-sql-lakestream-" + System.getProperty("lakestream.version") + ".jar");

  /** Native code finds its classes by name: these cannot be relocated. */
  private static final Pattern OURS = Pattern.compile("dev/lakestream/.*|com/github/luben/zstd/.*");

  @BeforeEach
  void theJarWasPackagedByThisBuild() {
    assumeThat(Files.exists(JAR)).as("run with package or verify: %s", JAR).isTrue();
  }

  @Test
  void everyForeignClassIsRelocated() throws IOException {
    assertThat(entries())
        .filteredOn(name -> name.endsWith(".class"))
        .isNotEmpty()
        .allMatch(name -> OURS.matcher(name).matches());
  }

  @Test
  void nothingThatFlinkHasIsInside() throws IOException {
    assertThat(entries())
        .noneMatch(name -> name.contains("org/apache/flink"))
        .noneMatch(name -> name.contains("org/slf4j"))
        .noneMatch(name -> name.contains("junit"));
  }

  @Test
  void serviceFilesNameClassesThatAreInside() throws IOException {
    List<String> all = entries();
    List<String> services =
        all.stream()
            .filter(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
            .toList();
    assertThat(services).contains("META-INF/services/dev.lakestream.store.StoreProvider");
    for (String service : services) {
      for (String line : text(service).lines().toList()) {
        String provider = line.replaceAll("#.*", "").trim();
        if (!provider.isEmpty()) {
          assertThat(all).as(service).contains(provider.replace('.', '/') + ".class");
        }
      }
    }
  }

  @Test
  void theStoresOfTheJarAreFoundWithoutAnythingElse() throws Exception {
    try (URLClassLoader alone =
        new URLClassLoader(new URL[] {JAR.toUri().toURL()}, getClass().getClassLoader())) {
      Class<?> provider = alone.loadClass("dev.lakestream.store.StoreProvider");
      List<String> found = new ArrayList<>();
      ServiceLoader.load(provider, alone).forEach(store -> found.add(store.getClass().getName()));
      assertThat(found)
          .contains(
              "dev.lakestream.store.FileStoreProvider", "dev.lakestream.store.S3StoreProvider");
    }
  }

  @Test
  void licencesAndNoticeArePresent() throws IOException {
    assertThat(text("META-INF/LICENSE")).contains("Apache License");
    assertThat(text("META-INF/NOTICE")).contains("Lakestream").contains("AWS SDK for Java");
    assertThat(entries())
        .contains(
            "META-INF/licenses/LICENSE.protobuf",
            "META-INF/licenses/LICENSE.zstd-jni",
            "META-INF/licenses/LICENSE.reactive-streams");
  }

  private static List<String> entries() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    }
  }

  private static String text(String name) throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      JarEntry entry = jar.getJarEntry(name);
      assertThat(entry).as(name).isNotNull();
      try (InputStream in = jar.getInputStream(entry)) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }
}
