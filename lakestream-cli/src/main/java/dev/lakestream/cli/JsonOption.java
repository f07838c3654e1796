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
package dev.lakestream.cli;

import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** Whether people or programs are to read the answer. */
final class JsonOption {

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** Sentences and tables for people. */
  @FunctionalInterface
  interface ForPeople {
    void print(PrintWriter out);
  }

  /** Prints the one that was asked for. */
  void print(PrintWriter out, ForPeople asText, Json.Content asJson) throws IOException {
    if (json) {
      Json.object(out, asJson);
    } else {
      asText.print(out);
    }
  }
}
