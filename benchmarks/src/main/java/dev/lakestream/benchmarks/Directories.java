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
package dev.lakestream.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Room for streams, and its clearing. */
final class Directories {

  private Directories() {}

  private static final int TRIES = 50;

  /**
   * With everything in it; nothing if it is absent. A server may still be ending what a job that
   * was cancelled had under way: then once more.
   */
  static void delete(Path directory) throws IOException {
    for (int left = TRIES; Files.exists(directory); left--) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | UncheckedIOException e) {
        if (left == 0) {
          throw e;
        }
        pause();
      }
    }
  }

  /** Asks the system to forget what it holds of the files in memory; they have been synced. */
  static void evict(Path directory) throws IOException, InterruptedException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        int exit =
            new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
          throw new IOException("dd could not evict " + file + ": exit code " + exit);
        }
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
