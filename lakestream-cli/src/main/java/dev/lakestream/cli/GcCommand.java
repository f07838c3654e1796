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

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Deletion;
import dev.lakestream.retention.Hold;
import dev.lakestream.retention.ReclaimLoop;
import dev.lakestream.retention.ReclaimResult;
import dev.lakestream.retention.ReclaimSettings;
import dev.lakestream.retention.Reclaimer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lakestream gc}. */
@Command(
    name = "gc",
    description = {
      "Gives up the steps that watermarks and tags allow to go, and deletes what nobody can ask for any more.",
      "It deletes unless --dry-run is given: what it takes is proven by the stream itself. Without any",
      "watermark or tag no step is given up. May run while others read, write, or reclaim."
    },
    footer = {
      "",
      "Examples:",
      "  lakestream gc /data/stream --dry-run",
      "  lakestream gc s3://bucket/stream --every 10m --audit gc.log",
      "  lakestream gc /data/stream --trim-to 80000"
    })
final class GcCommand extends StreamCommand {

  @Option(
      names = "--dry-run",
      description = "Delete nothing; print what would be deleted, and why.")
  private boolean dryRun;

  @Option(
      names = "--trim-to",
      paramLabel = "STEP",
      description = "Give up the steps below it; watermarks and tags still hold theirs.")
  private Long trimTo;

  @Option(
      names = "--keep-manifests",
      paramLabel = "N",
      defaultValue = "100",
      description = "So many of the newest manifests stay (default 100).")
  private int keepManifests;

  @Option(
      names = "--manifest-age",
      paramLabel = "TIME",
      defaultValue = "1h",
      converter = Durations.class,
      description = "Younger manifests stay, too (default 1h); more than any listing may be stale.")
  private Duration manifestAge;

  @Option(
      names = "--orphan-age",
      paramLabel = "TIME",
      defaultValue = "7d",
      converter = Durations.class,
      description = "Unreferenced bundles of unknown owners go when older (default 7d).")
  private Duration orphanAge;

  @Option(
      names = "--upload-age",
      paramLabel = "TIME",
      defaultValue = "1d",
      converter = Durations.class,
      description = "Unfinished uploads that began earlier are aborted (default 1d).")
  private Duration uploadAge;

  @Option(
      names = "--audit",
      paramLabel = "FILE",
      description = "Append a line for each deletion to FILE, not to standard output.")
  private Path audit;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "Go on for ever, with this pause.")
  private Duration every;

  @Override
  void checkOptions() {
    if (every != null && every.isZero()) {
      throw wrong("--every must be more than 0.");
    }
    settings();
  }

  @Override
  void run(TrainingStream opened) throws IOException {
    PrintWriter out = out();
    PrintWriter lines =
        audit == null
            ? out
            : new PrintWriter(
                Files.newBufferedWriter(
                    audit, UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    try {
      Reclaimer reclaimer =
          Reclaimer.of(opened, settings()).listener(deletion -> print(opened, deletion, lines));
      if (every == null) {
        print(reclaimer.run(), out);
      } else {
        loop(reclaimer, out);
      }
    } finally {
      if (audit != null) {
        lines.close();
      }
    }
  }

  private void loop(Reclaimer reclaimer, PrintWriter out) {
    PrintWriter err = err();
    new ReclaimLoop(
            reclaimer,
            every,
            result -> print(result, out),
            failure -> {
              err.println("lakestream: " + failure.getMessage() + " The next run goes on.");
              err.flush();
            })
        .run();
  }

  private ReclaimSettings settings() {
    try {
      ReclaimSettings settings =
          ReclaimSettings.DEFAULT
              .keepManifests(keepManifests)
              .manifestAge(manifestAge)
              .orphanAge(orphanAge)
              .uploadAge(uploadAge)
              .dryRun(dryRun);
      return trimTo == null ? settings : settings.trimTo(trimTo);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  /** Tab-separated: when, what, kind, bytes, key, why. On the disk before the deletion is made. */
  private void print(TrainingStream opened, Deletion deletion, PrintWriter to) {
    to.println(
        String.join(
            "\t",
            Text.time(opened.time().currentTimeMillis()),
            dryRun ? "would-delete" : "delete",
            deletion.kind().name().toLowerCase(Locale.ROOT),
            Long.toString(deletion.bytes()),
            Text.printable(deletion.key()),
            deletion.why()));
    to.flush();
  }

  private static void print(ReclaimResult result, PrintWriter out) {
    ReclaimResult.Tally total = result.total();
    out.println(
        (result.dryRun() ? "Dry run: would free " : "Freed ")
            + Text.size(total.bytes())
            + " in "
            + Text.count(total.objects(), "object")
            + (result.deleted().isEmpty()
                ? ""
                : " ("
                    + result.deleted().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(
                            kind ->
                                Text.count(
                                    kind.getValue().objects(),
                                    kind.getKey().name().toLowerCase(Locale.ROOT)))
                        .collect(Collectors.joining(", "))
                    + ")")
            + ".");
    out.println(
        "Held: steps "
            + Text.steps(result.firstStep(), result.nextStep())
            + (result.firstStep() > result.firstStepBefore()
                ? "; " + Text.steps(result.firstStepBefore(), result.firstStep()) + " given up"
                : "")
            + "; "
            + result
                .heldBy()
                .map(Hold::toString)
                .map(by -> "held by " + by)
                .orElse("nothing is recorded that would say what may go (watermarks, tags)")
            + ".");
    if (result.pending().objects() > 0) {
      out.println(
          "Not published yet, or waiting for their age: "
              + Text.count(result.pending().objects(), "bundle")
              + ", "
              + Text.size(result.pending().bytes())
              + ".");
    }
    out.flush();
  }
}
