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
package dev.lakestream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest extends ObjectStoreContract {

  @TempDir private Path directory;
  private Path root;
  private ObjectStore store;

  @BeforeEach
  void open() {
    root = directory.resolve("stream");
    store = Stores.openBare(StreamAddress.parse(root.toString()), Map.of("file.sync", "false"));
  }

  @Override
  ObjectStore store() {
    return store;
  }

  @Override
  ObjectStore storeAt(String name) {
    directory.resolve(name).getParent().toFile().mkdirs();
    return Stores.open(directory + "//" + name + "/", Map.of());
  }

  @Test
  void keysBeyondTheBasicPlaneComeAfterAllOthers() {
    put("\uFF5E", new byte[] {1});
    put("\uD83D\uDE80", new byte[] {1});
    assertThat(keys("", "", 1)).containsExactly("\uFF5E", "\uD83D\uDE80");
  }

  @Test
  void nothingIsLeftBesideTheObjects() throws IOException {
    create("a/b/x", new byte[] {1});
    create("a/b/x", new byte[] {2});
    put("a/b/y", new byte[] {3});
    try (Stream<Path> files = Files.walk(root)) {
      assertThat(files.filter(Files::isRegularFile).map(root::relativize).map(Path::toString))
          .containsExactlyInAnyOrder("a/b/x", "a/b/y");
    }
  }

  @Test
  void aFileThatACrashLeftIsInvisibleAndSweptAwayAfterADay() throws IOException {
    Path temporary = Files.createDirectories(root.resolve(FileTemp.NAME));
    Path old = Files.writeString(temporary.resolve("old"), "half");
    Path young = Files.writeString(temporary.resolve("young"), "half");
    Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - 90_000_000));
    assertThat(keys("", "", 10)).isEmpty();
    put("x", new byte[] {1});
    assertThat(keys("", "", 10)).containsExactly("x");
    assertThat(old).doesNotExist();
    assertThat(young).exists();
    assertFault(Fault.INVALID, () -> put(FileTemp.NAME + "/young", new byte[] {1}));
  }

  @Test
  void syncedWritesWork() {
    store = Stores.open(root.toString(), Map.of());
    assertThat(create("a/b", new byte[] {1})).isEqualTo(CreateOutcome.CREATED);
    put("a/c", new byte[] {2});
    assertThat(keys("", "", 10)).containsExactly("a/b", "a/c");
  }

  @Test
  void aMissingMountIsToldFromAnEmptyStream() {
    ObjectStore lost = Stores.open(directory + "/not-mounted/stream", Map.of());
    assertThatThrownBy(() -> await(lost.put("x", Payload.of(new byte[1]))))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_STORE))
        .hasMessageContaining("not-mounted")
        .hasMessageContaining("mkdir -p");
    assertFault(Fault.NO_SUCH_STORE, () -> await(lost.length("x")));
    assertFault(Fault.NO_SUCH_STORE, () -> await(lost.list("", "", 1)));
    assertThat(keys("", "", 1)).isEmpty();
    assertThat(root).doesNotExist();
  }

  @Test
  void aRootThatIsAFileIsNoStore() throws IOException {
    Files.writeString(root, "a file");
    assertFault(Fault.NO_SUCH_STORE, () -> put("x", new byte[1]));
    assertFault(Fault.NO_SUCH_STORE, () -> keys("", "", 1));
  }

  @Test
  void anObjectAndADirectoryCannotShareAName() {
    put("x/y", new byte[1]);
    assertFault(Fault.INVALID, () -> put("x", new byte[1]));
    assertFault(Fault.INVALID, () -> create("x", new byte[1]));
    put("z", new byte[1]);
    assertFault(Fault.INVALID, () -> put("z/y", new byte[1]));
    assertFault(Fault.INVALID, () -> create("z/y", new byte[1]));
    assertFault(Fault.MISSING, () -> read("z/y", 0, 1));
  }

  @Test
  void aDirectoryWithoutPermissionIsNamed() throws IOException {
    Files.createDirectories(root);
    assumeThat(root.toFile().setWritable(false) && !Files.isWritable(root))
        .as("not root, whom no permission stops")
        .isTrue();
    try {
      assertThatThrownBy(() -> put("x", new byte[1]))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DENIED))
          .hasMessageContaining(root.toString());
    } finally {
      assertThat(root.toFile().setWritable(true)).isTrue();
    }
  }

  /** The same from the system's answer, which the superuser never gets. */
  @Test
  void aDenialNamesTheUserThePathAndTheRemedy() {
    AccessDeniedException denied = new AccessDeniedException(root.resolve("data/x").toString());
    for (long writing : new long[] {FileFaults.READING, 10}) {
      StoreException told =
          FileFaults.of(denied, "file:///stream", root, "write", "data/x", writing);
      assertThat(told.fault()).isEqualTo(Fault.DENIED);
      assertThat(told)
          .hasMessageContaining("'data/x' at file:///stream")
          .hasMessageContaining("'" + System.getProperty("user.name") + "'")
          .hasMessageContaining(root.resolve("data/x").toString())
          .hasMessageContaining("Give it read and write permission");
    }
  }

  @Test
  void aFullDiskIsNamed() {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    // A device that answers every write as a full disk does: the error is the system's own.
    assertThatThrownBy(
            () -> {
              try (FileChannel channel = FileChannel.open(full, StandardOpenOption.WRITE)) {
                FileIo.write(channel, List.of(ByteBuffer.allocate(10)));
              } catch (IOException e) {
                throw FileFaults.of(e, "file:///stream", directory, "write", "x", 10);
              }
            })
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_SPACE))
        .hasMessageContaining("Free some space");
  }

  @Test
  void theSystemsErrorsBecomeFaults() {
    assertThat(fault("Disk quota exceeded")).isEqualTo(Fault.NO_SPACE);
    assertThat(fault("Read-only file system")).isEqualTo(Fault.DENIED);
    assertThat(fault("File name too long")).isEqualTo(Fault.INVALID);
    assertThat(fault("Input/output error")).isEqualTo(Fault.TRANSIENT);
    // Translated, or unknown: told by looking, because so many bytes do not fit.
    IOException translated = new IOException("Auf dem Gerät ist kein Speicherplatz mehr verfügbar");
    assertThat(
            FileFaults.of(translated, "file:///s", directory, "write", "x", Long.MAX_VALUE).fault())
        .isEqualTo(Fault.NO_SPACE);
  }

  @Test
  void aFileSystemWithoutHardLinksIsRefused() {
    for (String reason : List.of("Operation not permitted", "Operation not supported")) {
      FileSystemException error = new FileSystemException("x", "y", reason);
      assertThatThrownBy(() -> FileFaults.ofLink("file:///s", Path.of("x"), error))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.UNSAFE))
          .hasMessageContaining("hard links");
    }
  }

  private Fault fault(String reason) {
    return FileFaults.of(
            new FileSystemException("x", null, reason), "file:///s", directory, "write", "x", 1)
        .fault();
  }
}
