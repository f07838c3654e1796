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

import com.fasterxml.jackson.core.JsonGenerator;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.GlobalWatermark;
import dev.lakestream.retention.Hold;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code lakestream lag}. */
@Command(
    name = "lag",
    description =
        "How far each consumer group, by its slowest rank, and each tag is behind the stream.")
final class LagCommand extends StreamCommand {

  @Mixin private JsonOption json;

  @Override
  void run(TrainingStream opened) throws IOException {
    Manifest head = opened.log().newest();
    GlobalWatermark global = GlobalWatermark.read(opened);
    List<Hold> holds =
        Stream.concat(global.groups().stream(), global.tags().stream())
            .sorted(Comparator.comparingLong(Hold::step))
            .toList();
    json.print(
        out(), text -> asText(head, global, holds, text), to -> asJson(head, global, holds, to));
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
      Manifest head, GlobalWatermark global, List<Hold> holds, JsonGenerator json)
      throws IOException {
    json.writeNumberField("firstStep", head.firstStep());
    json.writeNumberField("nextStep", head.nextStep());
    if (global.step().isPresent()) {
      json.writeNumberField("watermark", global.step().getAsLong());
    } else {
      json.writeNullField("watermark");
    }
    Json.array(
        json,
        "holds",
        array -> {
          for (Hold hold : holds) {
            Json.object(array, one -> asJson(head, hold, one));
          }
        });
  }

  private static void asJson(Manifest head, Hold hold, JsonGenerator json) throws IOException {
    json.writeStringField("kind", hold.kind() == Hold.Kind.GROUP ? "group" : "tag");
    json.writeStringField("name", hold.name());
    if (hold.rank() >= 0) {
      json.writeNumberField("rank", hold.rank());
      json.writeNumberField("generation", hold.generation());
    }
    json.writeNumberField("step", hold.step());
    json.writeNumberField("lag", head.nextStep() - hold.step());
    json.writeStringField("recordedAt", Text.time(hold.updatedAt()));
  }
}
