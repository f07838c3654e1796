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
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is in the jar that goes into Flink's lib folder, and what is not. */
class SqlJarTest {

  private static final String SHADED = "dev/lakestream/shaded/";

  /** Classes that keep their names, each with the reason. */
  private static final Map<Pattern, String> NOT_RELOCATED =
      Map.of(
          Pattern.compile("dev/lakestream/(?!shaded/).*"), "ours",
          Pattern.compile("com/github/luben/zstd/.*"), "its native code finds them by name");

  /** All that is neither a class nor a licence, each with the reason. */
  private static final Map<Pattern, String> RESOURCES =
      Map.of(
          Pattern.compile("META-INF/MANIFEST.MF"), "a jar has one",
          Pattern.compile("META-INF/services/.*"), "tested below",
          Pattern.compile("META-INF/software\\.amazon\\.awssdk/[\\w-]+/version.properties"),
              "the AWS SDK knows its versions by it, under names of its own",
          Pattern.compile("(aix|darwin|freebsd|linux|win)/\\w+/libzstd-jni-[\\w.-]+"),
              "native code of zstd, under a name of its own",
          Pattern.compile(SHADED + "(software/amazon|com/fasterxml)/.*"),
              "moved with the classes that read it");

  /** Licences that libraries bring along; ours are in {@code licenses}. */
  private static final Pattern LICENCES =
      Pattern.compile("META-INF/(LICENSE|NOTICE|licenses/LICENSE\\.[\\w-]+|[\\w-]+-LICENSE)");

  /** By the package of a library, what NOTICE calls it. */
  private static final Map<String, String> LIBRARIES =
      Map.ofEntries(
          Map.entry(SHADED + "software/amazon/", "AWS SDK for Java 2 (software.amazon.awssdk:*)"),
          Map.entry(SHADED + "io/netty/", "Netty (io.netty:*)"),
          Map.entry(SHADED + "org/reactivestreams/", "(org.reactivestreams:reactive-streams)"),
          Map.entry(SHADED + "com/google/protobuf/", "(com.google.protobuf:protobuf-java)"),
          Map.entry(SHADED + "dev/failsafe/", "(dev.failsafe:failsafe)"),
          Map.entry(SHADED + "net/jpountz/", "(at.yawk.lz4:lz4-java)"),
          Map.entry(SHADED + "org/apache/arrow/", "(org.apache.arrow:*)"),
          Map.entry(
              SHADED + "com/google/flatbuffers/", "(com.google.flatbuffers:flatbuffers-java)"),
          Map.entry(SHADED + "com/fasterxml/jackson/", "(com.fasterxml.jackson.*:*)"),
          Map.entry("com/github/luben/zstd/", "(com.github.luben:zstd-jni)"));

  @BeforeEach
  void theJarWasPackagedByThisBuild() {
    Environment.requireSqlJar();
  }

  @Test
  void everyForeignClassIsRelocated() throws IOException {
    assertThat(entries())
        .filteredOn(name -> name.endsWith(".class") && !name.startsWith(SHADED))
        .isNotEmpty()
        .allMatch(name -> isAmong(NOT_RELOCATED, name));
  }

  @Test
  void everythingElseHasAReason() throws IOException {
    assertThat(entries())
        .filteredOn(name -> !name.endsWith(".class"))
        .allMatch(name -> isAmong(RESOURCES, name) || LICENCES.matcher(name).matches());
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
        all.stream().filter(name -> name.startsWith("META-INF/services/")).toList();
    assertThat(providers("META-INF/services/dev.lakestream.store.StoreProvider"))
        .contains("dev.lakestream.store.FileStoreProvider", "dev.lakestream.store.S3StoreProvider");
    assertThat(services)
        .allMatch(
            name ->
                name.startsWith("META-INF/services/dev.lakestream.")
                    || name.equals("META-INF/services/org.apache.flink.table.factories.Factory"));
    for (String service : services) {
      for (String provider : providers(service)) {
        assertThat(all).as(service).contains(provider.replace('.', '/') + ".class");
      }
    }
  }

  @Test
  void tablesAndCatalogsAreFoundByFlink() throws IOException {
    assertThat(providers("META-INF/services/org.apache.flink.table.factories.Factory"))
        .containsExactlyInAnyOrder(
            "dev.lakestream.flink.table.LakestreamTableFactory",
            "dev.lakestream.flink.catalog.LakestreamCatalogFactory");
  }

  /** Finds what was left out of the jar and is needed, or what was relocated only half. */
  @Test
  void everyClassOfOursIsInitialisedInTheJarBesideFlink() throws Exception {
    List<URL> urls = new ArrayList<>(List.of(Environment.SQL_JAR.toUri().toURL()));
    try (Stream<Path> flink = Files.list(Environment.FLINK.resolve("lib"))) {
      for (Path jar : flink.toList()) {
        urls.add(jar.toUri().toURL());
      }
    }
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader flink = new URLClassLoader(urls.toArray(URL[]::new), platform)) {
      assertThat(entries())
          .filteredOn(name -> name.endsWith(".class"))
          .filteredOn(name -> name.startsWith("dev/lakestream/") && !name.startsWith(SHADED))
          .hasSizeGreaterThan(100)
          .allSatisfy(
              name -> Class.forName(name.replace('/', '.').replace(".class", ""), true, flink));
    }
  }

  @Test
  void noticeNamesTheLibrariesThatAreInsideAndNoOthers() throws IOException {
    String notice = text("META-INF/NOTICE");
    assertThat(entries())
        .filteredOn(name -> name.endsWith(".class"))
        .filteredOn(name -> name.startsWith(SHADED) || !name.startsWith("dev/lakestream/"))
        .allMatch(name -> LIBRARIES.keySet().stream().anyMatch(name::startsWith));
    List<String> all = entries();
    LIBRARIES.forEach(
        (prefix, words) -> {
          assertThat(all).anyMatch(name -> name.startsWith(prefix));
          assertThat(notice).contains(words);
        });
    assertThat(notice.lines().filter(line -> line.startsWith("- "))).hasSize(LIBRARIES.size());
  }

  @Test
  void licencesArePresent() throws IOException {
    assertThat(text("META-INF/LICENSE")).contains("Apache License");
    assertThat(text("META-INF/NOTICE")).contains("Lakestream");
    List<String> all = entries();
    Pattern named = Pattern.compile("META-INF/[\\w./-]*LICENSE[\\w.-]*");
    TreeSet<String> licences = new TreeSet<>();
    named.matcher(text("META-INF/NOTICE")).results().forEach(found -> licences.add(found.group()));
    assertThat(licences).isNotEmpty().allMatch(all::contains);
    assertThat(all)
        .filteredOn(name -> LICENCES.matcher(name).matches())
        .filteredOn(name -> !List.of("META-INF/LICENSE", "META-INF/NOTICE").contains(name))
        .containsExactlyInAnyOrderElementsOf(licences);
  }

  private static boolean isAmong(Map<Pattern, String> reasons, String name) {
    return reasons.keySet().stream().anyMatch(pattern -> pattern.matcher(name).matches());
  }

  private static List<String> entries() throws IOException {
    try (JarFile jar = new JarFile(Environment.SQL_JAR.toFile())) {
      return jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    }
  }

  private static List<String> providers(String service) throws IOException {
    return text(service)
        .lines()
        .map(line -> line.replaceAll("#.*", "").trim())
        .filter(line -> !line.isEmpty())
        .toList();
  }

  private static String text(String name) throws IOException {
    try (JarFile jar = new JarFile(Environment.SQL_JAR.toFile())) {
      JarEntry entry = jar.getJarEntry(name);
      assertThat(entry).as(name).isNotNull();
      try (InputStream in = jar.getInputStream(entry)) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }
}
