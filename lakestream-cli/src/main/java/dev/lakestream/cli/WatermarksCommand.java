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
import dev.lakestream.LakestreamException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lakestream watermarks}. */
@Command(
    name = "watermarks",
    description = "Lists where the consumers stand, or forgets a group that will not come back.",
    footer = {
      "",
      "Examples:",
      "  lakestream watermarks /data/stream",
      "  lakestream watermarks /data/stream --drop old-run"
    })
final class WatermarksCommand extends StreamCommand {

  @Option(
      names = "--drop",
      paramLabel = "GROUP",
      description = "Forget the group: it holds nothing any more.")
  private String drop;

  @Mixin private JsonOption json;

  @Override
  void run(TrainingStream opened) throws IOException {
    Watermarks watermarks = new Watermarks(opened);
    if (drop != null) {
      int members = drop(watermarks);
      if (members == 0) {
        throw new LakestreamException("There is no group \"" + drop + "\" of " + opened + ".");
      }
      out().println("Group " + drop + " is forgotten: " + Text.count(members, "member") + ".");
      return;
    }
    List<Watermark> all =
        watermarks.all().stream()
            .sorted(
                Comparator.comparing(Watermark::group)
                    .thenComparing(Watermark::generation)
                    .thenComparing(Watermark::rank))
            .toList();
    json.print(out(), text -> asText(watermarks, all, text), to -> asJson(watermarks, all, to));
  }

  private int drop(Watermarks watermarks) {
    try {
      return watermarks.drop(drop);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  private static void asText(Watermarks watermarks, List<Watermark> all, PrintWriter out) {
    Table table =
        new Table(
            "group", "generation", "rank", "of", "step", "kept checkpoints", "recorded", "holds");
    for (Watermark mark : all) {
      table.row(
          mark.group(),
          Text.number(mark.generation()),
          Text.number(mark.rank()),
          Text.number(mark.worldSize()),
          Text.number(mark.step()),
          mark.kept().stream()
              .map(kept -> Text.number(kept.step()))
              .collect(Collectors.joining(" ")),
          Text.time(mark.updatedAt()),
          watermarks.holds(mark, all) ? "yes" : "no");
    }
    table.print(out);
  }

  private static void asJson(Watermarks watermarks, List<Watermark> all, JsonGenerator json)
      throws IOException {
    Json.array(
        json,
        "watermarks",
        array -> {
          for (Watermark mark : all) {
            Json.object(
                array,
                one -> {
                  one.writeStringField("group", mark.group());
                  one.writeNumberField("generation", mark.generation());
                  one.writeNumberField("rank", mark.rank());
                  one.writeNumberField("worldSize", mark.worldSize());
                  one.writeNumberField("step", mark.step());
                  one.writeNumberField("version", mark.version());
                  Json.array(
                      one,
                      "kept",
                      steps -> {
                        for (Watermark.Kept kept : mark.kept()) {
                          steps.writeNumber(kept.step());
                        }
                      });
                  one.writeStringField("recordedAt", Text.time(mark.updatedAt()));
                  one.writeBooleanField("holds", watermarks.holds(mark, all));
                });
          }
        });
  }
}
