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
import dev.lakestream.retention.Tag;
import dev.lakestream.retention.Tags;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code lakestream tag}. */
@Command(
    name = "tag",
    description = "Holds steps against reclamation under a name; without a name, lists the tags.",
    footer = {
      "",
      "Examples:",
      "  lakestream tag /data/stream",
      "  lakestream tag /data/stream paper-v1 --first 0 --last 81199 --comment \"as published\""
    })
final class TagCommand extends StreamCommand {

  @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "Of the new tag.")
  private String name;

  @Option(names = "--first", paramLabel = "STEP", description = "The first step to hold.")
  private Long first;

  @Option(names = "--last", paramLabel = "STEP", description = "The last step to hold.")
  private Long last;

  @Option(names = "--comment", paramLabel = "TEXT", defaultValue = "", description = "For people.")
  private String comment;

  @Override
  void checkOptions() {
    if (name != null && (first == null || last == null)) {
      throw wrong("Which steps? --first STEP and --last STEP, both held.");
    }
  }

  @Override
  void run(TrainingStream opened) {
    Tags tags = new Tags(opened);
    if (name == null) {
      list(tags, out());
      return;
    }
    Tag tag = create(tags);
    out()
        .println(
            "Tag "
                + tag.name()
                + " holds steps "
                + Text.steps(tag.firstStep(), tag.nextStep())
                + ".");
  }

  private Tag create(Tags tags) {
    try {
      return tags.create(name, first, Math.addExact(last, 1), comment);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw wrong(e);
    }
  }

  private static void list(Tags tags, PrintWriter out) {
    Table table = new Table("tag", "first step", "last step", "created", "comment");
    for (Tag tag : tags.all()) {
      table.row(
          tag.name(),
          Text.number(tag.firstStep()),
          Text.number(tag.nextStep() - 1),
          Text.time(tag.createdAt()),
          Text.printable(tag.comment()));
    }
    table.print(out);
  }
}
