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
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What the operating system says, as a {@link Fault}. The JDK has types for some errors only; the
 * others are told by their text, and where that is translated, by looking.
 */
final class FileFaults {

  /** In place of a number of bytes to be written. */
  static final long READING = -1;

  private static final List<String> NO_SPACE =
      List.of("No space left", "Disk quota exceeded", "not enough space", "File too large");

  private FileFaults() {}

  /**
   * @param writing how many bytes the request had to place, or {@link #READING}
   */
  static StoreException of(
      IOException error, String address, Path root, String action, String key, long writing) {
    String what = "Cannot %s '%s' at %s: ".formatted(action, key, address);
    if (error instanceof NoSuchFileException) {
      requireParent(address, root);
      return writing != READING
          ? new StoreException(Fault.TRANSIENT, what + "a directory vanished meanwhile.", error)
          : new StoreException(Fault.MISSING, what + "there is no such object.", error);
    }
    if (error instanceof AccessDeniedException denied) {
      return new StoreException(
          Fault.DENIED,
          what
              + "the user '%s' has no permission on %s. Give it read and write permission, or use another directory."
                  .formatted(System.getProperty("user.name"), denied.getFile()),
          error);
    }
    String text = text(error);
    if (NO_SPACE.stream().anyMatch(text::contains) || (writing != READING && full(root, writing))) {
      return new StoreException(
          Fault.NO_SPACE,
          what
              + "the disk or quota below %s is full. Free some space, or use another directory."
                  .formatted(root),
          error);
    }
    if (text.contains("Read-only file system")) {
      return new StoreException(
          Fault.DENIED, what + root + " is on a file system that is mounted read-only.", error);
    }
    if (text.contains("File name too long")) {
      return new StoreException(
          Fault.INVALID, what + "a part of the name is longer than the file system allows.", error);
    }
    if (text.contains("Not a directory")) {
      return action.equals("read") || action.equals("look up")
          ? new StoreException(Fault.MISSING, what + "there is no such object.", error)
          : new StoreException(Fault.INVALID, what + "a part of its path is an object.", error);
    }
    return new StoreException(Fault.TRANSIENT, what + error, error);
  }

  /** A failed link: either the file system has none, or it is an ordinary error. */
  static IOException ofLink(String address, Path file, IOException error) {
    String text = text(error);
    if (text.contains("Operation not permitted")
        || text.contains("not supported")
        || text.contains("Function not implemented")) {
      throw noHardLinks(address, error);
    }
    if (text.contains("cross-device")) {
      throw otherFileSystem(address, file, error);
    }
    return error;
  }

  static StoreException noHardLinks(String address, Exception error) {
    return new StoreException(
        Fault.UNSAFE,
        "The file system of "
            + address
            + " has no hard links, so that nothing can be created there exactly once. Use a local"
            + " disk or NFS, or an object store (s3://…).",
        error);
  }

  static StoreException otherFileSystem(String address, Path file, IOException error) {
    return new StoreException(
        Fault.INVALID,
        "%s is on another file system than %s. A stream's directory must lie on one."
            .formatted(file, address),
        error);
  }

  static StoreException isDirectory(String address, Path file) {
    return new StoreException(
        Fault.INVALID,
        "%s is a directory, so that no object can have this name at %s.".formatted(file, address));
  }

  static StoreException isFile(String address, Path path, IOException error) {
    return new StoreException(
        Fault.INVALID,
        "%s is a file, so that no object can lie below it at %s. Choose another address or key."
            .formatted(path, address),
        error);
  }

  static StoreException outOfRange(
      String address, String key, long offset, long length, long size) {
    return new StoreException(
        Fault.OUT_OF_RANGE,
        "'%s' at %s has %d bytes; %d from %d on were asked for."
            .formatted(key, address, size, length, offset));
  }

  static StoreException unusableName(String address, String name, InvalidPathException error) {
    return new StoreException(
        Fault.INVALID,
        "'%s' at %s cannot be the name of a file here: %s. On Linux, run Java in a UTF-8 locale (LC_ALL=C.UTF-8) for names beyond ASCII."
            .formatted(name, address, error.getReason()),
        error);
  }

  /** The root itself is made when needed, but not what is above it: a mount may be missing. */
  static void requireParent(String address, Path root) {
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new StoreException(
          Fault.NO_SUCH_STORE, "%s is a file, not a directory (%s).".formatted(root, address));
    }
    Path parent = root.getParent();
    if (parent != null && Files.notExists(parent)) {
      throw new StoreException(
          Fault.NO_SUCH_STORE,
          "There is no directory %s to hold %s. Create it (mkdir -p %s), or check whether its disk is mounted."
              .formatted(parent, address, parent));
    }
  }

  private static String text(IOException error) {
    String text =
        error instanceof FileSystemException typed ? typed.getReason() : error.getMessage();
    return text == null ? "" : text;
  }

  private static boolean full(Path root, long writing) {
    try {
      return Files.getFileStore(root).getUsableSpace() < writing;
    } catch (IOException e) {
      return false;
    }
  }
}
