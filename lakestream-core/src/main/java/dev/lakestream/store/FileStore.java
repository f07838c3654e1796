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

import dev.lakestream.store.ReadObserver.Observed;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Objects as files below a directory.
 *
 * <p>Assumptions, and what recovers when they fail:
 *
 * <ul>
 *   <li>A hard link to a taken name fails, on any number of machines: this is the conditional
 *       create. A file system without hard links is refused ({@link Fault#UNSAFE}); one that lies
 *       is found by {@link ConditionalCreateProbe}.
 *   <li>A rename replaces in one step: this is {@link #put}. A reader sees the old or the new file.
 *   <li>Content is complete and on the disk before a name points at it, so that a crash leaves at
 *       worst a nameless file in {@link FileTemp}, which the next writer sweeps away after a day.
 *   <li>A failure after the link or the rename (syncing the directory) leaves the outcome unknown,
 *       and is reported as {@link Fault#TRANSIENT}.
 *   <li>The directory above the root exists: a stream is not created on the wrong disk because a
 *       mount is missing.
 * </ul>
 */
final class FileStore implements ObjectStore {

  /** A deletion removes directories that it leaves empty; a create beside it makes them again. */
  private static final int DIRECTORY_RACES = 100;

  private static final ReadObserver UNOBSERVED = piece -> {};

  private final String address;
  private final Path root;
  private final FileTemp temp;
  private final boolean sync;

  FileStore(StreamAddress address, boolean sync) {
    this.address = address.toString();
    this.root = path(address);
    this.temp = new FileTemp(root, sync);
    this.sync = sync;
  }

  private static Path path(StreamAddress address) {
    try {
      return Path.of(File.separatorChar == '\\' ? address.path() : "/" + address.path());
    } catch (InvalidPathException e) {
      throw FileFaults.unusableName(address.toString(), address.path(), e);
    }
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    return async("create", key, content, () -> create(resolve(key), content));
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return async(
        "write",
        key,
        content,
        () -> {
          replace(resolve(key), content);
          return null;
        });
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    return readObserved(key, offset, length, () -> UNOBSERVED).thenApply(Observed::bytes);
  }

  @Override
  public <O extends ReadObserver> CompletableFuture<Observed<O>> readObserved(
      String key, long offset, int length, Supplier<O> observer) {
    return async(
        "read",
        key,
        length,
        () -> {
          O seeing = observer.get();
          return new Observed<>(range(resolve(key), key, offset, length, seeing), seeing);
        });
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    return async(
        "read",
        key,
        length,
        () -> {
          try (FileChannel channel = open(resolve(key), key)) {
            long size = channel.size();
            int wanted = (int) Math.min(size, length);
            return new Suffix(FileIo.read(channel, size - wanted, wanted, UNOBSERVED), size);
          }
        });
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return async(
        "look up",
        key,
        0,
        () -> {
          Path file = resolve(key);
          if (Files.isDirectory(file)) {
            throw new NoSuchFileException(file.toString());
          }
          return Files.size(file);
        });
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    return async(
        "list",
        prefix,
        0,
        () -> {
          if (!Files.isDirectory(root)) {
            FileFaults.requireParent(address, root);
          }
          return new FileListing(root, prefix, startAfter, limit).page();
        });
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return async(
        "delete",
        key,
        0,
        () -> {
          Path file = resolve(key);
          if (!Files.isDirectory(file) && Files.deleteIfExists(file)) {
            removeEmptyParents(file);
          }
          return null;
        });
  }

  @Override
  public void close() {
    // The threads are shared, and end when they are idle.
  }

  @Override
  public String toString() {
    return "FileStore[" + address + "]";
  }

  private Path resolve(String key) {
    Keys.check(address, key);
    FileTemp.refuse(address, key);
    try {
      return root.resolve(key);
    } catch (InvalidPathException e) {
      throw FileFaults.unusableName(address, key, e);
    }
  }

  private CreateOutcome create(Path file, Payload content) throws IOException {
    if (Files.exists(file)) {
      return taken(file);
    }
    makeRoot();
    Path staged = temp.write(content);
    try {
      inDirectory(file.getParent(), () -> Files.createLink(file, staged));
    } catch (FileAlreadyExistsException e) {
      return taken(file);
    } catch (UnsupportedOperationException e) {
      throw FileFaults.noHardLinks(address, e);
    } catch (IOException e) {
      throw FileFaults.ofLink(address, file, e);
    } finally {
      FileTemp.discard(staged);
    }
    syncDirectory(file.getParent());
    return CreateOutcome.CREATED;
  }

  private CreateOutcome taken(Path file) {
    if (Files.isDirectory(file)) {
      throw FileFaults.isDirectory(address, file);
    }
    return CreateOutcome.EXISTS;
  }

  private void replace(Path file, Payload content) throws IOException {
    if (Files.isDirectory(file)) {
      throw FileFaults.isDirectory(address, file);
    }
    makeRoot();
    Path staged = temp.write(content);
    try {
      inDirectory(
          file.getParent(),
          () ->
              Files.move(
                  staged,
                  file,
                  StandardCopyOption.ATOMIC_MOVE,
                  StandardCopyOption.REPLACE_EXISTING));
    } catch (AtomicMoveNotSupportedException e) {
      throw FileFaults.otherFileSystem(address, file, e);
    } finally {
      FileTemp.discard(staged);
    }
    syncDirectory(file.getParent());
  }

  private ByteBuffer range(Path file, String key, long offset, int length, ReadObserver observer)
      throws IOException {
    if (offset < 0 || length < 0) {
      throw new StoreException(
          Fault.INVALID, "No range: offset " + offset + ", length " + length + " of " + key);
    }
    if (length == 0) {
      return ByteBuffer.allocate(0);
    }
    try (FileChannel channel = open(file, key)) {
      long size = channel.size();
      if (offset > size - length) {
        throw FileFaults.outOfRange(address, key, offset, length, size);
      }
      return FileIo.read(channel, offset, length, observer);
    }
  }

  private static FileChannel open(Path file, String key) throws IOException {
    if (Files.isDirectory(file)) {
      throw new NoSuchFileException(key);
    }
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  private void makeRoot() throws IOException {
    if (!Files.isDirectory(root)) {
      FileFaults.requireParent(address, root);
      makeDirectory(root);
    }
  }

  private void makeDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    if (!directory.equals(root)) {
      makeDirectory(directory.getParent());
    }
    try {
      Files.createDirectory(directory);
      syncDirectory(directory.getParent());
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw FileFaults.isFile(address, directory, e);
      }
    }
  }

  private void inDirectory(Path directory, FileIo.Action<?> action) throws IOException {
    for (int race = 1; ; race++) {
      try {
        makeDirectory(directory);
        action.run();
        return;
      } catch (NoSuchFileException e) {
        if (race == DIRECTORY_RACES) {
          throw e;
        }
      }
    }
  }

  private void removeEmptyParents(Path file) {
    try {
      for (Path parent = file.getParent(); !parent.equals(root); parent = parent.getParent()) {
        Files.delete(parent);
      }
    } catch (IOException e) {
      // Not empty, or gone already: the object is deleted, and that was the task.
    }
  }

  private void syncDirectory(Path directory) throws IOException {
    if (sync) {
      FileIo.syncDirectory(directory);
    }
  }

  private <T> CompletableFuture<T> async(
      String action, String key, Payload content, FileIo.Action<T> task) {
    return async(action, key, content.length(), content.length(), task);
  }

  private <T> CompletableFuture<T> async(
      String action, String key, int bytes, FileIo.Action<T> task) {
    return async(action, key, FileFaults.READING, bytes, task);
  }

  private <T> CompletableFuture<T> async(
      String action, String key, long writing, long bytes, FileIo.Action<T> task) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return task.run();
          } catch (IOException e) {
            throw new CompletionException(FileFaults.of(e, address, root, action, key, writing));
          }
        },
        FileIo.executor(bytes));
  }
}
