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

import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.GlobalWatermark;
import dev.lakestream.retention.Hold;
import dev.lakestream.store.ObjectStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lakestream lag}. */
@Command(
    name = "lag",
    description =
        "How far each consumer group, by its slowest rank, and each tag is behind the stream.",
    mixinStandardHelpOptions = true,
    versionProvider = Lakestream.Version.class)
final class LagCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private StreamOptions stream;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (ObjectStore store = stream.open()) {
      TrainingStream opened = TrainingStream.open(store);
      Manifest head = opened.log().newest();
      GlobalWatermark global = GlobalWatermark.read(opened);
      List<Hold> holds =
          Stream.concat(global.groups().stream(), global.tags().stream())
              .sorted(java.util.Comparator.comparingLong(Hold::step))
              .toList();
      if (json) {
        asJson(head, global, holds, out);
      } else {
        asText(head, global, holds, out);
      }
      return 0;
    }
  }

  private static void asText(
      Manifest head, GlobalWatermark global, List<Hold> holds, PrintWriter out) {
    out.println(
        "Held: steps "
            + Text.steps(head.firstStep(), head.nextStep())
            + "; W_global: "
            + (global.step().isPresent() ? Text.number(global.step().getAsLong()) : "none")
            + ".");
    Table table = new Table("holds", "name", "slowest rank", "step", "lag", "recorded");
    for (Hold hold : holds) {
      table.row(
          hold.kind() == Hold.Kind.GROUP ? "group" : "tag",
          hold.name(),
          hold.rank() < 0 ? "" : Text.number(hold.rank()),
          Text.number(hold.step()),
          Text.number(head.nextStep() - hold.step()),
          Text.time(hold.updatedAt()));
    }
    table.print(out);
  }

  private static void asJson(
      Manifest head, GlobalWatermark global, List<Hold> holds, PrintWriter out) throws IOException {
    Json.object(
        out,
        fields -> {
          fields.writeNumberField("firstStep", head.firstStep());
          fields.writeNumberField("nextStep", head.nextStep());
          if (global.step().isPresent()) {
            fields.writeNumberField("watermark", global.step().getAsLong());
          } else {
            fields.writeNullField("watermark");
          }
          Json.array(
              fields,
              "holds",
              array -> {
                for (Hold hold : holds) {
                  Json.object(
                      array,
                      one -> {
                        one.writeStringField(
                            "kind", hold.kind() == Hold.Kind.GROUP ? "group" : "tag");
                        one.writeStringField("name", hold.name());
                        if (hold.rank() >= 0) {
                          one.writeNumberField("rank", hold.rank());
                          one.writeNumberField("generation", hold.generation());
                        }
                        one.writeNumberField("step", hold.step());
                        one.writeNumberField("lag", head.nextStep() - hold.step());
                        one.writeStringField("recordedAt", Text.time(hold.updatedAt()));
                      });
                }
              });
        });
  }
}
