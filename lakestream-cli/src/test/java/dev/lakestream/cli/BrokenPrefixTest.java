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
package dev.lakestream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.Stores;
import dev.lakestream.store.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is broken, foreign or missing is told in a sentence, with status 1 or 2, by every command.
 */
class BrokenPrefixTest {

  @TempDir Path directory;

  private Path prefix;

  @BeforeEach
  void setUp() {
    prefix = directory.resolve("stream");
  }

  private WrittenStream written() {
    WrittenStream stream =
        WrittenStream.uneven(
            Stores.open(prefix.toString(), Map.of("file.sync", "false")), new Mesh(1, 2));
    for (int i = 0; i < 40; i++) {
      stream.commit(1, 1);
    }
    return stream;
  }

  private static List<Run> all(String path) {
    List<Run> runs = new ArrayList<>();
    for (String what : List.of("stream", "manifests", "batches", "producers")) {
      runs.add(Run.of("inspect", path, "--what", what));
    }
    runs.add(Run.of("read", path, "--step", "3", "--dp", "0", "--cp", "1"));
    runs.add(Run.of("verify", path));
    runs.add(Run.of("verify", path, "--quick"));
    return runs;
  }

  private static void assertRefused(String path, String... fragments) {
    for (Run run : all(path)) {
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err()).startsWith("lakestream: ").contains(fragments);
      assertNoTrace(run);
    }
  }

  private static void assertNoTrace(Run run) {
    assertThat(run.err()).doesNotContain("\tat ", "Exception", "unexpectedly");
    assertThat(run.out()).doesNotContain("\tat ", "Exception");
  }

  @Test
  void nothingThere() {
    assertRefused(prefix.toString(), "no Lakestream stream at", "Check the path");
  }

  @Test
  void nothingAboveIt() {
    assertRefused(prefix.resolve("a/b/c").toString(), "There is no directory");
  }

  @Test
  void anEmptyDirectory() throws IOException {
    Files.createDirectory(prefix);
    assertRefused(prefix.toString(), "no Lakestream stream at");
  }

  @Test
  void aFileInItsPlace() throws IOException {
    Files.writeString(prefix, "I am a file");
    assertRefused(prefix.toString(), "stream");
  }

  @Test
  void aDirectoryOfOtherThings() throws IOException {
    Files.createDirectories(prefix.resolve("manifest"));
    Files.writeString(prefix.resolve("stream"), "a stream of consciousness");
    Files.writeString(prefix.resolve("manifest/README"), "nothing to see");
    assertRefused(prefix.toString(), "not a Lakestream object");
  }

  @Test
  void anAddressThatIsNone() {
    assertRefused("gopher://hole/stream", "No store for 'gopher:'");
    assertRefused("s3://", "bucket is missing");
  }

  @Test
  void aStreamObjectOfANewerFormat() throws IOException {
    written();
    byte[] bytes = Files.readAllBytes(prefix.resolve("stream"));
    bytes[4] = 9;
    Files.write(prefix.resolve("stream"), bytes);
    assertRefused(prefix.toString(), "format version 9", "Use a build as new");
  }

  @Test
  void aTruncatedNewestManifest() throws IOException {
    WrittenStream stream = written();
    long version = stream.head().version();
    Path head = prefix.resolve(StreamKeys.manifest(version));
    byte[] bytes = Files.readAllBytes(head);
    for (int length : new int[] {0, 5, bytes.length / 2, bytes.length - 1}) {
      Files.write(head, Arrays.copyOf(bytes, length));
      for (Run run : all(prefix.toString())) {
        assertThat(run.status()).isIn(1, 2);
        assertThat(run.err() + run.out()).contains("Manifest " + version);
        assertNoTrace(run);
      }
      assertThat(Run.of("verify", prefix.toString()).status()).isEqualTo(1);
    }
  }

  @Test
  void aManifestOfANewerFormat() throws IOException {
    WrittenStream stream = written();
    Path head = prefix.resolve(StreamKeys.manifest(stream.head().version()));
    byte[] bytes = Files.readAllBytes(head);
    bytes[4] = 7;
    bytes[bytes.length - 8] = 7;
    Files.write(head, bytes);
    for (Run run : all(prefix.toString())) {
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err()).contains("format version 7");
      assertNoTrace(run);
    }
  }

  @Test
  void flippedBitsAnywhere() throws IOException {
    WrittenStream stream = written();
    String bundle =
        stream.stream().history(stream.head()).bundleOf(3).orElseThrow().bundle().object();
    String root = stream.head().sealed().orElseThrow().object();
    Random random = new Random(11);
    for (String key : List.of(StreamKeys.manifest(stream.head().version()), root, bundle)) {
      Path file = prefix.resolve(key);
      byte[] intact = Files.readAllBytes(file);
      for (int i = 0; i < 4; i++) {
        byte[] damaged = intact.clone();
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, damaged);
        for (Run run : all(prefix.toString())) {
          assertThat(run.status()).isIn(0, 1, 2); // Some commands do not read that byte.
          assertThat(run.err().isEmpty()).isEqualTo(run.status() != 2);
          assertNoTrace(run);
        }
        assertThat(Run.of("verify", prefix.toString()).status()).isIn(1, 2);
      }
      Files.write(file, intact);
    }
    assertThat(Run.of("verify", prefix.toString()).status()).isZero();
  }

  @Test
  void noPermission() throws IOException {
    written();
    Path object = prefix.resolve("stream");
    Files.setPosixFilePermissions(object, PosixFilePermissions.fromString("---------"));
    assumeTrue(!Files.isReadable(object), "the superuser may read everything");
    assertRefused(prefix.toString(), "has no permission");
  }

  @Test
  void aStoreThatDenies() {
    FaultyStore store =
        MemoryStores.install("denied", new FaultyStore(new MemoryStore(), Time.SYSTEM));
    WrittenStream.uneven(Stores.open("mem://denied/s", Map.of()), new Mesh(1, 2)).commit(5);
    for (Op op : List.of(Op.LENGTH, Op.READ, Op.READ_SUFFIX, Op.LIST)) {
      store.on(op).answer(Answer.denied());
    }
    assertRefused("mem://denied/s", "DENIED");
    MemoryStores.remove("denied");
  }

  @Test
  void debugShowsTheTrace() {
    Run run = Run.of("inspect", prefix.toString(), "--debug");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("StreamNotFoundException").contains("\tat ");
    assertThat(run.out()).isEmpty();
  }
}
