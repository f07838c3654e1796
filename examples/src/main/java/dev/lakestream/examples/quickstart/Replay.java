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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.source.TokenRecord;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.ExceptionUtils;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code bin/replay}. */
@Command(
    name = "bin/replay",
    description = {
      "",
      "What did the model see? Prints the text that each rank reads at some steps of a stream of"
          + " tokens, such as bin/quickstart leaves: a line for each sequence, by step, replica,"
          + " chunk and sequence.",
      ""
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:done",
      "1:it could not be done, and standard error says why",
      "2:wrong usage, or the build failed"
    },
    footer = {"", "Example, for steps 10 and 11:", "  bin/replay .quickstart/stream 10 12"})
final class Replay implements Callable<Integer> {

  /** Of a sequence, in characters. */
  private static final int SHOWN = 150;

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  /** A person waits: not the minutes that a job would wait. */
  private static final Map<String, String> PATIENCE = Map.of("retry.max-elapsed", "20 s");

  @Parameters(
      index = "0",
      paramLabel = "STREAM",
      description = "The stream: a directory, file:///… or s3://bucket/….")
  private String stream;

  @Parameters(
      index = "1",
      paramLabel = "FROM",
      converter = StepNumber.class,
      description = "The first step to show.")
  private long from;

  @Parameters(
      index = "2",
      paramLabel = "TO",
      converter = StepNumber.class,
      description = "The step behind the last one to show. Steps that do not exist are left out.")
  private long to;

  @Option(names = "--help", usageHelp = true, description = "Show this and exit.")
  boolean help;

  @Spec private CommandSpec spec;

  private final Path caller;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * @param caller what a path in the arguments is relative to
   */
  Replay(Path caller, PrintStream out, PrintStream err) {
    this.caller = caller.toAbsolutePath();
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) {
    Path caller = Path.of(System.getenv().getOrDefault("LAKESTREAM_CALLER", ""));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    System.exit(new CommandLine(new Replay(caller, out, err)).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    if (to <= from) {
      throw new ParameterException(
          spec.commandLine(), "TO is more than FROM; not " + from + " and " + to + ".");
    }
    try {
      long end = end();
      print(end);
      if (end < to) {
        err.println("The stream ends before step " + end + ".");
      }
      return 0;
    } catch (QuickstartException | LakestreamException e) {
      err.println("bin/replay: " + e.getMessage());
      return 1;
    }
  }

  private String address() {
    return SCHEME.matcher(stream).matches()
        ? stream
        : caller.resolve(stream).normalize().toString();
  }

  /** A source that ends at a step waits for steps that do not exist yet: a replay does not. */
  private long end() {
    try (ObjectStore store = Stores.open(address(), PATIENCE)) {
      TrainingStream opened = TrainingStream.open(store);
      String format = opened.info().sliceFormat();
      if (!format.equals(SliceFormats.TOKENS)) {
        throw new QuickstartException(
            "%s holds slices of the format '%s', and this shows '%s'. See bin/lakestream read."
                .formatted(opened, format, SliceFormats.TOKENS));
      }
      Manifest newest = opened.log().newest();
      if (from < newest.firstStep() || from >= newest.nextStep()) {
        throw new QuickstartException(
            newest.firstStep() == newest.nextStep()
                ? opened + " holds no steps."
                : "%s holds steps %d to %d, and not %d."
                    .formatted(opened, newest.firstStep(), newest.nextStep() - 1, from));
      }
      return Math.min(to, newest.nextStep());
    }
  }

  private void print(long end) throws Exception {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
    Tokenizer tokenizer = new Tokenizer();
    try (CloseableIterator<TokenRecord> seen =
        ReplayJob.replay(environment, address(), from, end).executeAndCollect("replay")) {
      seen.forEachRemaining(record -> out.println(line(record, tokenizer)));
    } catch (Exception e) {
      // Flink wraps what has stopped the job many times.
      Optional<LakestreamException> ours =
          ExceptionUtils.findThrowable(e, LakestreamException.class);
      throw ours.isPresent() ? ours.get() : e;
    }
  }

  private static String line(TokenRecord record, Tokenizer tokenizer) {
    int[] real =
        IntStream.range(0, record.tokens().length)
            .filter(i -> record.segments()[i] > 0)
            .map(i -> record.tokens()[i])
            .toArray();
    long documents = Arrays.stream(record.segments()).filter(s -> s > 0).distinct().count();
    String text = tokenizer.decode(real).replaceAll("\\s+", " ").strip();
    return "step %d replica %d chunk %d sequence %d: "
            .formatted(
                record.slice().step(), record.slice().dp(), record.slice().cp(), record.sequence())
        + (real.length == 0
            ? "only padding"
            : "%d tokens of %d %s: %s"
                .formatted(
                    real.length,
                    documents,
                    documents == 1 ? "document" : "documents",
                    text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text));
  }

  private static final class StepNumber implements ITypeConverter<Long> {

    @Override
    public Long convert(String text) {
      if (!text.matches("\\d{1,18}")) {
        throw new TypeConversionException("'" + text + "' is not the number of a step");
      }
      return Long.parseLong(text);
    }
  }
}
