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

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where files are written before they have a name that readers see: one directory below the root,
 * which no listing shows and no key reaches. Only a crash leaves anything in it.
 */
final class FileTemp {

  static final String NAME = ".lakestream-tmp";

  private static final Logger LOG = LoggerFactory.getLogger(FileTemp.class);
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final Path directory;
  private final boolean sync;
  private final AtomicBoolean swept = new AtomicBoolean();

  FileTemp(Path root, boolean sync) {
    this.directory = root.resolve(NAME);
    this.sync = sync;
  }

  static void refuse(String address, String key) {
    if (key.equals(NAME) || key.startsWith(NAME + "/")) {
      throw new StoreException(
          Fault.INVALID, "Keys below '" + NAME + "' are reserved at " + address + ": " + key);
    }
  }

  /** Writes the content and forces it to the disk. */
  Path write(Payload content) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
    }
    if (swept.compareAndSet(false, true)) {
      sweep();
    }
    Path file = directory.resolve(UUID.randomUUID().toString());
    boolean complete = false;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      FileIo.write(channel, content.buffers());
      if (sync) {
        channel.force(true);
      }
      complete = true;
      return file;
    } finally {
      if (!complete) {
        discard(file);
      }
    }
  }

  static void discard(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("Could not remove the temporary file {}; it is swept away after a day", file, e);
    }
  }

  /** A writer that still held such a file would fail and try again: no object is harmed. */
  private void sweep() {
    FileTime limit = FileTime.fromMillis(System.currentTimeMillis() - ABANDONED.toMillis());
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (Files.getLastModifiedTime(file).compareTo(limit) < 0) {
          discard(file);
        }
      }
    } catch (IOException e) {
      LOG.debug("Could not sweep {}", directory, e);
    }
  }
}
