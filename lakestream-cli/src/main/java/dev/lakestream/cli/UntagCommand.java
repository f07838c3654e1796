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
import dev.lakestream.store.ObjectStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lakestream untag}. */
@Command(
    name = "untag",
    description = "Removes a tag: it holds nothing any more.",
    mixinStandardHelpOptions = true,
    versionProvider = Lakestream.Version.class)
final class UntagCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private StreamOptions stream;

  @Parameters(index = "1", paramLabel = "NAME", description = "Of the tag.")
  private String name;

  @Override
  public Integer call() {
    try (ObjectStore store = stream.open()) {
      TrainingStream opened = TrainingStream.open(store);
      if (!new Tags(opened).delete(name)) {
        throw new LakestreamException("There is no tag \"" + name + "\" of " + opened + ".");
      }
      spec.commandLine().getOut().println("Tag " + name + " is removed.");
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
