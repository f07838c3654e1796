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

import java.nio.file.Path;
import java.util.List;

/** What a person may run on the stream that the quickstart has left. */
final class NextCommands {

  private NextCommands() {}

  /**
   * @param caller the directory in which they are to be typed
   */
  static List<String> of(Path checkout, Path caller, Workspace workspace) {
    String bin = quoted(shown(caller, checkout.resolve("bin")));
    String stream = quoted(shown(caller, workspace.stream()));
    return List.of(
        bin + "/lakestream inspect " + stream + " --what batches",
        bin
            + "/lakestream read "
            + stream
            + " --step 0 --dp 0 --cp 0 --decode "
            + Tokenizer.NAME
            + " | cut -c-150",
        bin + "/lakestream verify " + stream,
        bin + "/bench");
  }

  /** A path as it is short to read: relative to {@code directory} if it is in it. */
  static String shown(Path directory, Path path) {
    return path.startsWith(directory) && !path.equals(directory)
        ? directory.relativize(path).toString()
        : path.toString();
  }

  private static String quoted(String path) {
    return path.matches("[\\w./-]+") ? path : "'" + path.replace("'", "'\\''") + "'";
  }
}
