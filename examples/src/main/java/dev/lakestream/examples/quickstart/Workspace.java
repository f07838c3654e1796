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
package dev.lakestream.examples.quickstart;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Where a run of the quickstart keeps everything.
 *
 * @param root absolute
 */
record Workspace(Path root) {

  /** Marks a directory as one that a run may empty. */
  private static final String MARKER = ".lakestream-quickstart";

  /** Of what a run leaves behind. */
  private static final List<String> PARTS = List.of("stream", "checkpoints", "ranks", "logs");

  Path stream() {
    return root.resolve("stream");
  }

  Path checkpoints() {
    return root.resolve("checkpoints");
  }

  Path ranks() {
    return root.resolve("ranks");
  }

  Path logs() {
    return root.resolve("logs");
  }

  /** The address of the stream; not a URI, which would write a blank as %20. */
  String address() {
    return stream().toString();
  }

  /**
   * Makes the directory, or empties one that an earlier run has left.
   *
   * @return whether there was an earlier run
   * @throws QuickstartException if the directory holds something else, which is left alone
   */
  boolean prepare() {
    try {
      Path marker = root.resolve(MARKER);
      boolean before = Files.exists(marker);
      if (!before && Files.exists(root) && !isEmpty(root)) {
        throw new QuickstartException(
            root
                + " is not empty and was not made by the quickstart. It is left as it is; choose"
                + " another directory with --dir.");
      }
      for (String part : PARTS) {
        delete(root.resolve(part));
        Files.createDirectories(root.resolve(part));
      }
      delete(stream());
      Files.writeString(marker, "Made by bin/quickstart, which empties it when it runs again.\n");
      return before;
    } catch (IOException e) {
      throw new QuickstartException("Cannot write to " + root + ": " + e, e);
    }
  }

  /** They hold all tokens once more, uncompressed. */
  void removeRankFiles() {
    try {
      delete(ranks());
    } catch (IOException e) {
      throw new QuickstartException("Cannot remove " + ranks() + ": " + e, e);
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (var entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  private static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
