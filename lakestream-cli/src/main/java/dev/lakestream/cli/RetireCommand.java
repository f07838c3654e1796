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

import dev.lakestream.LakestreamException;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.Publisher;
import dev.lakestream.manifest.TrainingStream;
import java.util.SplittableRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code lakestream retire}. */
@Command(
    name = "retire",
    description = {
      "Removes the entry of a producer that will not write again.",
      "Each manifest carries the entries of all producers. What it published stays. A job that still",
      "writes under the id is fenced, and one that restores its state is refused as a rewind."
    },
    footer = {
      "",
      "Examples:",
      "  lakestream inspect /data/stream --what producers",
      "  lakestream retire /data/stream old-job"
    })
final class RetireCommand extends StreamCommand {

  @Parameters(index = "1", paramLabel = "PRODUCER", description = "Its id.")
  private String producerId;

  @Override
  void run(TrainingStream opened) {
    Publisher publisher =
        new Publisher(opened, CommitSettings.DEFAULT, new SplittableRandom(), new CommitMetrics());
    if (!publisher.retire(producerId)) {
      throw new LakestreamException(
          "There is no producer \"" + Text.printable(producerId) + "\" of " + opened + ".");
    }
    out().println("Producer " + Text.printable(producerId) + " is retired.");
  }
}
