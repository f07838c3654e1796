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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A completed checkpoint that Flink has left behind: {@code <job>/chk-<id>/_metadata}.
 *
 * @param id of the checkpoint
 * @param directory what to restore from
 */
record RetainedCheckpoint(long id, Path directory) {

  private static final Pattern NAME = Pattern.compile("chk-(\\d+)");

  /** The newest one of the jobs that keep their checkpoints in {@code directory}. */
  static Optional<RetainedCheckpoint> newest(Path directory) {
    try (var paths = Files.find(directory, 3, (path, attributes) -> isComplete(path))) {
      return paths
          .map(metadata -> of(metadata.getParent()))
          .max(Comparator.comparingLong(RetainedCheckpoint::id));
    } catch (IOException e) {
      throw new QuickstartException("Cannot look for checkpoints in " + directory + ".", e);
    }
  }

  /** Flink writes the metadata last. */
  private static boolean isComplete(Path path) {
    return path.endsWith("_metadata")
        && NAME.matcher(path.getParent().getFileName().toString()).matches();
  }

  private static RetainedCheckpoint of(Path directory) {
    Matcher matcher = NAME.matcher(directory.getFileName().toString());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(directory + " is no checkpoint.");
    }
    return new RetainedCheckpoint(Long.parseLong(matcher.group(1)), directory);
  }
}
