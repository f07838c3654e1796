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

import dev.lakestream.batch.slice.Removal;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Takedown;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lakestream takedown}. */
@Command(
    name = "takedown",
    description = {
      "Takes records out of history. Their bundles are written anew without them, and one commit",
      "shows those in place of the old ones, which 'lakestream gc' then deletes. Steps keep their",
      "numbers and all other records. Says what it would do, and does it with --yes.",
      "",
      "For slices of records and tokens; for tables in the format arrow: CALL sys.takedown in SQL."
    },
    footer = {
      "",
      "Examples:",
      "  lakestream takedown /data/stream --step 81200 --dp 1 --cp 0 --record 3,7 --reason 'request 17'",
      "  lakestream takedown /data/stream --sample-id 4711 --reason 'request 17' --yes",
      "  lakestream takedown /data/stream --sha256 9f86d0… --from 80000 --to 90000 --reason licence --yes"
    })
final class TakedownCommand extends StreamCommand {

  private static final int SHOWN = 20;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private What what;

  /** One way to say what is to go. */
  private static final class What {

    @ArgGroup(exclusive = false)
    private Numbers numbers;

    @Option(
        names = "--sample-id",
        split = ",",
        paramLabel = "ID",
        description = "Of the format tokens: documents, wherever they are in the steps.")
    private List<String> samples;

    @Option(
        names = "--sha256",
        split = ",",
        paramLabel = "DIGEST",
        description = "Of the format records: records with this content, wherever they are.")
    private List<String> digests;
  }

  /** Records by where they are. */
  private static final class Numbers {

    @Option(names = "--step", required = true, paramLabel = "N", description = "In which step.")
    private long step;

    @Option(names = "--dp", required = true, paramLabel = "D", description = "In which replica.")
    private int dp;

    @Option(
        names = "--cp",
        required = true,
        paramLabel = "C",
        description = "In which chunk; of the format tokens, any.")
    private int cp;

    @Option(
        names = "--record",
        required = true,
        split = ",",
        paramLabel = "I",
        description = "Which records of the slice, from 0; of the format tokens, which sequences.")
    private List<Integer> records;
  }

  @Option(names = "--from", paramLabel = "N", description = "Look from this step on.")
  private Long from;

  @Option(names = "--to", paramLabel = "N", description = "Look before this step.")
  private Long to;

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why; everyone who reads the stream's metadata sees it.")
  private String reason;

  @Option(names = "--yes", description = "Do it.")
  private boolean yes;

  @Override
  void checkOptions() {
    if (what.numbers != null && (from != null || to != null)) {
      throw wrong("--step names the step already; --from and --to are for the others.");
    }
  }

  @Override
  void run(TrainingStream opened) {
    Takedown.Request request = request(opened);
    Takedown takedown = new Takedown(opened, List.of());
    Takedown.Result result = yes ? takedown.run(request) : takedown.rehearse(request);
    print(request, result, out());
  }

  private Takedown.Request request(TrainingStream opened) {
    try {
      if (what.numbers != null) {
        Removal removal =
            new Removal.Records(
                what.numbers.dp, what.numbers.cp, new TreeSet<>(what.numbers.records));
        return new Takedown.Request(what.numbers.step, what.numbers.step + 1, removal, reason);
      }
      Manifest head = opened.log().newest();
      long first = from == null ? head.firstStep() : from;
      long next = to == null ? head.nextStep() : to;
      Removal removal =
          what.samples == null
              ? new Removal.Contents(Set.copyOf(what.digests))
              : new Removal.Samples(ids(what.samples));
      return new Takedown.Request(first, next, removal, reason);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  private static Set<Long> ids(List<String> texts) {
    Set<Long> ids = new HashSet<>();
    for (String text : texts) {
      try {
        ids.add(Long.parseUnsignedLong(text.strip()));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("\"" + text + "\" is no sample id.", e);
      }
    }
    return ids;
  }

  private void print(Takedown.Request request, Takedown.Result result, PrintWriter out) {
    if (result.redactions().isEmpty()) {
      out.println(
          "There is nothing of "
              + request.removal()
              + " in steps "
              + Text.steps(request.fromStep(), request.toStep())
              + ".");
      return;
    }
    out.println(
        (yes ? "Took out " : "Would take out ")
            + Text.count(result.records(), "record")
            + " of "
            + Text.count(result.redactions().size(), "step")
            + ", in "
            + Text.count(result.rewritten().size(), "bundle")
            + ":");
    result.redactions().entrySet().stream()
        .limit(SHOWN)
        .forEach(
            step ->
                out.println(
                    "  step "
                        + Text.number(step.getKey())
                        + ": "
                        + Text.count(step.getValue(), "record")));
    if (result.redactions().size() > SHOWN) {
      out.println("  … and " + Text.count(result.redactions().size() - SHOWN, "more step"));
    }
    result
        .version()
        .ifPresentOrElse(
            version ->
                out.println(
                    "Manifest "
                        + Text.number(version)
                        + " says so. The old bytes are still in the store: 'lakestream gc' deletes"
                        + " them."),
            () -> out.println("Nothing was changed; --yes does it."));
  }
}
