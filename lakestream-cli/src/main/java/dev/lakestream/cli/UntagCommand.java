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
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Tags;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code lakestream untag}. */
@Command(name = "untag", description = "Removes a tag: it holds nothing any more.")
final class UntagCommand extends StreamCommand {

  @Parameters(index = "1", paramLabel = "NAME", description = "Of the tag.")
  private String name;

  @Override
  void run(TrainingStream opened) {
    if (!delete(new Tags(opened))) {
      throw new LakestreamException("There is no tag \"" + name + "\" of " + opened + ".");
    }
    out().println("Tag " + name + " is removed.");
  }

  private boolean delete(Tags tags) {
    try {
      return tags.delete(name);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }
}
