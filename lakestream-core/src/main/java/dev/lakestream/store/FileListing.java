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
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One page of a listing with the rules of S3: the prefix is a string, not a directory, and the
 * order is that of the bytes of whole keys. Only directories that can hold a wanted key are read.
 */
final class FileListing {

  private final Path root;
  private final String prefix;
  private final String startAfter;
  private final int limit;
  private final List<Listing.Entry> found = new ArrayList<>();
  private boolean truncated;

  FileListing(Path root, String prefix, String startAfter, int limit) {
    if (limit < 1) {
      throw new StoreException(Fault.INVALID, "A page of " + limit + " objects cannot be listed.");
    }
    this.root = root;
    this.prefix = prefix;
    this.startAfter = startAfter;
    this.limit = limit;
  }

  Listing page() throws IOException {
    String directory = prefix.substring(0, prefix.lastIndexOf('/') + 1);
    if (Keys.possiblePrefix(prefix)) {
      try {
        walk(root.resolve(directory), directory);
      } catch (InvalidPathException e) {
        return new Listing(List.of(), false); // no file can have such a name
      }
    }
    return new Listing(found, truncated);
  }

  /** Returns whether to go on. */
  private boolean walk(Path directory, String key) throws IOException {
    for (Child child : children(directory, key)) {
      if (child.attributes.isDirectory()) {
        if (!walk(child.path, child.key)) {
          return false;
        }
      } else if (found.size() == limit) {
        truncated = true;
        return false;
      } else {
        found.add(
            new Listing.Entry(
                child.key,
                child.attributes.size(),
                child.attributes.lastModifiedTime().toMillis()));
      }
    }
    return true;
  }

  /** What may hold wanted keys, in order; a directory's key ends with a slash, as in its keys. */
  private List<Child> children(Path directory, String parent) throws IOException {
    List<Child> children = new ArrayList<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
      for (Path path : paths) {
        String key = parent + path.getFileName();
        boolean asFile = wanted(key);
        boolean asDirectory = mayHoldWanted(key + "/");
        if (asFile || asDirectory) {
          add(path, key, asFile, asDirectory, children);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    children.sort(Comparator.comparing(child -> child.key, Keys.ORDER));
    return children;
  }

  private static void add(
      Path path, String key, boolean asFile, boolean asDirectory, List<Child> children)
      throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return; // deleted since the directory was read
    }
    if (attributes.isDirectory()) {
      if (asDirectory && !key.equals(FileTemp.NAME)) {
        children.add(new Child(path, key + "/", attributes));
      }
    } else if (asFile) {
      children.add(new Child(path, key, attributes));
    }
  }

  private boolean wanted(String key) {
    return key.startsWith(prefix) && Keys.ORDER.compare(key, startAfter) > 0;
  }

  private boolean mayHoldWanted(String directory) {
    return (directory.startsWith(prefix) || prefix.startsWith(directory))
        && (startAfter.startsWith(directory) || Keys.ORDER.compare(directory, startAfter) > 0);
  }

  private record Child(Path path, String key, BasicFileAttributes attributes) {}
}
