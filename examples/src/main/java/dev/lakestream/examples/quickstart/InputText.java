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
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * The input, tokenised apart from the job: what must arrive.
 *
 * @param bytes of all files
 * @param documents with one token or more, by name
 */
record InputText(long bytes, List<Tokens> documents) {

  /** A document's tokens. */
  record Tokens(String name, int[] tokens) {}

  /**
   * Tokenises the files on several threads.
   *
   * @throws QuickstartException if there are none, or if the tokens of one do not spell its text
   */
  static InputText read(Path directory, List<Path> files, Screen.Bar progress) {
    Tokenizer tokenizer = new Tokenizer();
    LongAdder bytes = new LongAdder();
    List<Tokens> documents =
        files.parallelStream()
            .map(
                file -> {
                  String text = text(file, bytes);
                  int[] tokens = tokenizer.encode(text);
                  if (!tokenizer.decode(tokens).equals(text)) {
                    throw new QuickstartException(
                        "The tokens of " + file + " do not spell its text. Leave it out.");
                  }
                  progress.step();
                  return new Tokens(name(directory, file), tokens);
                })
            .filter(document -> document.tokens().length > 0)
            .toList();
    return new InputText(bytes.sum(), documents);
  }

  private static String text(Path file, LongAdder bytes) {
    try {
      byte[] content = Files.readAllBytes(file);
      bytes.add(content.length);
      return new String(content, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new QuickstartException("Cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static String name(Path directory, Path file) {
    return directory.relativize(file).toString().replace('\\', '/');
  }

  /** The files that Flink's file source reads: hidden ones and those that begin with _ are not. */
  static List<Path> files(Path directory) {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              return folder.equals(directory) || isSeen(folder)
                  ? FileVisitResult.CONTINUE
                  : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (isSeen(file)) {
                files.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new QuickstartException("Cannot read the input directory " + directory + ".", e);
    }
    if (files.isEmpty()) {
      throw new QuickstartException("There are no text files below " + directory + ".");
    }
    files.sort(Comparator.naturalOrder());
    return files;
  }

  private static boolean isSeen(Path path) {
    String name = path.getFileName().toString();
    return !name.startsWith(".") && !name.startsWith("_");
  }

  long tokens() {
    return lengths().mapToLong(length -> length).sum();
  }

  int shortest() {
    return lengths().min(Comparator.naturalOrder()).orElse(0);
  }

  int longest() {
    return lengths().max(Comparator.naturalOrder()).orElse(0);
  }

  private Stream<Integer> lengths() {
    return documents.stream().map(document -> document.tokens().length);
  }
}
