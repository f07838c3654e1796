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

import dev.lakestream.manifest.TrainingStream;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lakestream inspect}. */
@Command(
    name = "inspect",
    description = "Shows a stream: what it is, its manifests, its batches, its producers.",
    footer = {
      "",
      "Examples:",
      "  lakestream inspect /data/stream",
      "  lakestream inspect /data/stream --what batches --from 1200 --limit 50",
      "  lakestream inspect s3://bucket/stream --what manifests --json"
    })
final class InspectCommand extends StreamCommand {

  /** What to show. */
  enum What {
    STREAM,
    MANIFESTS,
    BATCHES,
    PRODUCERS
  }

  @Option(
      names = "--what",
      paramLabel = "WHAT",
      defaultValue = "stream",
      description = "stream (default), manifests, batches or producers.")
  private What what;

  @Option(
      names = "--from",
      paramLabel = "N",
      description = "The first step (batches), or the newest version (manifests), to show.")
  private Long from;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "So many rows at most (default 20).")
  private int limit;

  @Mixin private JsonOption json;

  @Override
  void checkOptions() {
    if (limit < 1 || (from != null && from < 0)) {
      throw wrong("--limit must be 1 or more, and --from 0 or more.");
    }
  }

  @Override
  void run(TrainingStream opened) throws IOException {
    Inspection inspection = new Inspection(opened, from, limit);
    View view =
        switch (what) {
          case STREAM -> new StreamView(inspection);
          case MANIFESTS -> new ManifestsView(inspection);
          case BATCHES -> new BatchesView(inspection);
          case PRODUCERS -> new ProducersView(inspection);
        };
    json.print(out(), view::print, view::write);
  }
}
