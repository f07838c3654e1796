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

  static List<String> of(Path checkout, Workspace workspace) {
    String stream = quoted(workspace.address());
    return List.of(
        "bin/lakestream inspect " + stream,
        "bin/lakestream read " + stream + " --step 0 --dp 0 --cp 0 --format tokens",
        "bin/lakestream verify " + stream,
        "bin/bench");
  }

  /** A path as it is short to read: relative to the checkout if it is in it. */
  static String shown(Path checkout, Path path) {
    return path.startsWith(checkout) ? checkout.relativize(path).toString() : path.toString();
  }

  private static String quoted(String address) {
    return address.matches("[\\w./-]+") ? address : "'" + address.replace("'", "'\\''") + "'";
  }
}
