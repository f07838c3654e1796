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
package dev.lakestream.examples.quickstart;

import static dev.lakestream.examples.quickstart.Screen.count;
import static dev.lakestream.examples.quickstart.Screen.megabytes;
import static dev.lakestream.examples.quickstart.Screen.percent;
import static dev.lakestream.examples.quickstart.Screen.seconds;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code bin/quickstart}. */
@Command(
    name = "bin/quickstart",
    mixinStandardHelpOptions = false,
    sortOptions = false,
    description = {
      "",
      "Writes real text as a training stream on this disk, exactly once, with a Flink job that is"
          + " killed and restored in between; then reads it with four ranks and proves that every"
          + " token arrived once.",
      ""
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:every token arrived exactly once",
      "1:something failed, or a token is missing, repeated or changed",
      "2:wrong usage, or the build failed"
    })
final class Quickstart implements Callable<Integer> {

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where everything is written. Default: .quickstart in the checkout.")
  Path directory;

  @Option(
      names = "--input",
      paramLabel = "DIR",
      description =
          "Text files to read instead of the sources of Apache Flink, which the build fetches.")
  Path input;

  @Option(
      names = "--keep",
      description = "Keep the files in which the ranks leave what they read for the proof.")
  boolean keep;

  @Option(
      names = "--checkpoint-interval",
      paramLabel = "MILLIS",
      description = "Of the job. Default: ${DEFAULT-VALUE}.")
  long checkpointMillis = 1000;

  @Option(
      names = "--kill-at",
      paramLabel = "PERCENT",
      description =
          "The job is killed when it has published this share of the stream. Default:"
              + " ${DEFAULT-VALUE}.")
  int killAtPercent = 35;

  @Option(names = "--help", usageHelp = true, description = "Show this and exit.")
  boolean help;

  @Spec private CommandSpec spec;

  private final Screen screen;
  private final Path checkout;
  private final Path caller;

  /**
   * @param checkout where the build has put its input; the current directory
   * @param caller what the paths in the arguments are relative to
   */
  Quickstart(Screen screen, Path checkout, Path caller) {
    this.screen = screen;
    this.checkout = checkout.toAbsolutePath().normalize();
    this.caller = caller.toAbsolutePath().normalize();
  }

  public static void main(String[] args) {
    Screen screen = Screen.standard(System.getenv());
    String caller = System.getenv().getOrDefault("LAKESTREAM_CALLER", "");
    Quickstart quickstart = new Quickstart(screen, Path.of(""), Path.of(caller));
    System.exit(new CommandLine(quickstart).execute(args));
  }

  @Override
  public Integer call() {
    requireRange("--kill-at", killAtPercent, 1, 90);
    requireRange("--checkpoint-interval", checkpointMillis, 10, 60_000);
    try {
      return run() ? 0 : 1;
    } catch (QuickstartException | LakestreamException e) {
      screen.failure("FAILED", e.getMessage());
      return 1;
    }
  }

  private void requireRange(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          option + " is from " + least + " to " + most + ", not " + value + ".");
    }
  }

  private boolean run() {
    long start = System.nanoTime();
    Workspace workspace = workspace();
    Path inputDirectory = inputDirectory();
    begin(workspace);
    InputText text = read(inputDirectory);
    StreamWatch.Totals totals = write(inputDirectory, workspace, text);
    TokenLedger.Proof proof = readBack(workspace, text, totals);
    boolean holds = judge(proof, text, totals);
    if (holds && !keep) {
      workspace.removeRankFiles();
    }
    screen.fact("time in all", seconds(since(start)));
    if (holds) {
      screen.heading("What to run next");
      NextCommands.of(checkout, caller, workspace).forEach(screen::line);
      screen.blank();
    }
    return holds;
  }

  private Workspace workspace() {
    Path root = directory == null ? checkout.resolve(".quickstart") : caller.resolve(directory);
    return new Workspace(root.toAbsolutePath().normalize());
  }

  private Path inputDirectory() {
    Path chosen = input == null ? checkout.resolve("examples/target/input") : caller.resolve(input);
    if (!Files.isDirectory(chosen)) {
      throw new QuickstartException("There is no directory " + chosen + " to read text from.");
    }
    return chosen.toAbsolutePath().normalize();
  }

  private void begin(Workspace workspace) {
    boolean before = workspace.prepare();
    screen.title("Lakestream quickstart");
    screen.line("Text, tokens, a training stream on this disk, and four ranks that read it.");
    screen.line(
        "Everything is in "
            + NextCommands.shown(caller, workspace.root())
            + (before ? "; what the last run had left there is gone." : "."));
    screen.line("Logs: " + NextCommands.shown(caller, workspace.logs()));
  }

  private InputText read(Path directory) {
    long start = System.nanoTime();
    screen.heading("1  The input");
    screen.fact(
        "from",
        input == null
            ? "sources of Apache Flink, from Maven Central (Apache License 2.0)"
            : directory.toString());
    List<Path> files = InputText.files(directory);
    InputText text;
    try (Screen.Bar progress = screen.bar("tokenising", "files", 0, files.size())) {
      text = InputText.read(directory, files, progress);
    }
    screen.fact("text", count(files.size()) + " files, " + megabytes(text.bytes()));
    screen.fact(
        "tokens",
        "%s with %s, from %s to %s a file"
            .formatted(
                count(text.tokens()),
                Tokenizer.NAME,
                count(text.shortest()),
                count(text.longest())));
    screen.fact("time", seconds(since(start)) + ", apart from the job, to know what must arrive");
    return text;
  }

  private StreamWatch.Totals write(Path inputDirectory, Workspace workspace, InputText text) {
    long start = System.nanoTime();
    long perStep = QuickstartJob.tokensPerStep();
    long expected = text.tokens() / perStep + 1;
    screen.heading("2  A Flink job tokenises it again, packs the tokens, writes the stream");
    screen.fact(
        "packing",
        "best fit, %s tokens a sequence, %d sequences a replica: %s tokens a step"
            .formatted(
                count(QuickstartJob.SEQUENCE_LENGTH),
                QuickstartJob.SEQUENCES_PER_REPLICA,
                count(perStep)));
    screen.fact(
        "job",
        "%d writers, a checkpoint every %s"
            .formatted(QuickstartJob.PARALLELISM, seconds(Duration.ofMillis(checkpointMillis))));
    JobRun job =
        new JobRun(
            workspace,
            inputDirectory,
            Duration.ofMillis(checkpointMillis),
            Math.max(1, expected * killAtPercent / 100));
    try (StreamWatch stream = new StreamWatch(workspace.address())) {
      JobRun.Interruption interruption;
      try (Screen.Bar progress = screen.bar("writing", "steps", 0, expected)) {
        interruption = job.startAndKill(stream, progress);
      }
      report(interruption);
      try (Screen.Bar progress = screen.bar("writing", "steps", interruption.step(), expected)) {
        job.restoreAndFinish(interruption, stream, progress);
      }
      StreamWatch.Totals totals = stream.totals();
      screen.fact(
          "finished",
          "%s steps in %d bundles (%s), by %d manifests"
              .formatted(
                  count(totals.steps()),
                  totals.bundles(),
                  megabytes(totals.storedBytes()),
                  totals.manifests()));
      int leftOver = stream.unpublished();
      if (leftOver > 0) {
        screen.fact(
            "left over",
            bundles(leftOver) + " of the killed job, which no manifest and no rank sees");
      }
      screen.fact("time", seconds(since(start)));
      return totals;
    }
  }

  private void report(JobRun.Interruption interruption) {
    screen.fact(
        "killed",
        "kill -9 %d after %s, at step %s, when checkpoint %d was published"
            .formatted(
                interruption.pid(),
                seconds(interruption.after()),
                count(interruption.step()),
                interruption.published()));
    if (interruption.staged() > 0) {
      screen.fact("", "with " + bundles(interruption.staged()) + " uploaded and not published");
    }
    long restored = interruption.newest().id();
    screen.fact("restored", "by a new process, from checkpoint " + restored);
    if (restored > interruption.published()) {
      screen.fact("", "which was complete: the new process publishes its bundles first");
    }
  }

  private TokenLedger.Proof readBack(
      Workspace workspace, InputText text, StreamWatch.Totals totals) {
    long start = System.nanoTime();
    Mesh mesh = QuickstartJob.MESH;
    screen.heading(
        "3  %d ranks (D=%d, C=%d) read their slices, each in a process of its own"
            .formatted(mesh.slices(), mesh.dp(), mesh.cp()));
    RankRun ranks = new RankRun(workspace, mesh);
    try (Screen.Bar progress = screen.bar("reading", "slices", 0, totals.steps() * mesh.slices())) {
      ranks.read(progress);
    }
    TokenLedger ledger = new TokenLedger();
    text.documents()
        .forEach(
            document ->
                ledger.expect(Document.id(document.name()), document.name(), document.tokens()));
    screen.line(
        "%-6s%-9s%9s%12s%14s%11s%11s"
            .formatted("rank", "slice", "steps", "sequences", "tokens", "padding", "bytes"));
    for (int rank = 0; rank < mesh.slices(); rank++) {
      RankRun.Summary read = ranks.collect(rank, totals.steps(), ledger);
      screen.line(
          "%-6d%-9s%9s%12s%14s%11s%11s"
              .formatted(
                  rank,
                  "(" + rank / mesh.cp() + ", " + rank % mesh.cp() + ")",
                  count(read.steps()),
                  count(read.sequences()),
                  count(read.tokens()),
                  percent(read.padding(), read.tokens() + read.padding()),
                  megabytes(read.bytes())));
    }
    screen.fact("time", seconds(since(start)) + "; every checksum verified");
    return ledger.prove();
  }

  private boolean judge(TokenLedger.Proof proof, InputText text, StreamWatch.Totals totals) {
    screen.heading("4  Did every token arrive, once?");
    screen.fact(
        "documents",
        "%s of %s complete".formatted(count(proof.documents()), count(text.documents().size())));
    screen.fact("tokens", "%s of %s".formatted(count(proof.delivered()), count(text.tokens())));
    long room = totals.steps() * QuickstartJob.tokensPerStep();
    screen.fact(
        "padding",
        "%s of %s packed tokens".formatted(percent(room - proof.delivered(), room), count(room)));
    screen.fact(
        "faults",
        "%s missing, %s repeated, %s changed, %s foreign"
            .formatted(
                count(proof.missing()),
                count(proof.repeated()),
                count(proof.changed()),
                count(proof.foreign())));
    if (proof.holds()) {
      screen.good("PROVED: each token of the input arrived exactly once, in its place.");
    } else {
      screen.failure("NOT PROVED", String.join("\n", proof.examples()));
    }
    return proof.holds();
  }

  private static String bundles(int count) {
    return count == 1 ? "1 bundle" : count + " bundles";
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
