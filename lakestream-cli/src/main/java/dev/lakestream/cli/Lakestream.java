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
import dev.lakestream.store.InterruptedOperationException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * {@code lakestream}. Exit status: 0, done; 1, {@code verify} found damage; 2, the command could
 * not be carried out, and standard error says why in a sentence.
 */
@Command(
    name = "lakestream",
    description = "Creates, inspects, reads, verifies and looks after training streams.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Lakestream.Version.class,
    subcommands = {
      InspectCommand.class,
      ReadCommand.class,
      VerifyCommand.class,
      TakedownCommand.class,
      CreateCommand.class,
      GcCommand.class,
      TagCommand.class,
      UntagCommand.class,
      RetireCommand.class,
      WatermarksCommand.class,
      LagCommand.class,
      TailCommand.class
    },
    footer = {
      "",
      "A stream is a directory (/data/stream, file:///data/stream) or a prefix in a bucket",
      "(s3://bucket/stream). Exit status: 0 done; 1 verify found damage; 2 it could not be done.",
      "",
      "Examples:",
      "  lakestream create /data/stream --mesh 2x2 --slice-format tokens",
      "  lakestream inspect /data/stream",
      "  lakestream read /data/stream --step 7 --dp 1 --cp 0",
      "  lakestream gc /data/stream --dry-run",
      "  lakestream verify s3://bucket/stream --store-option s3.endpoint=http://localhost:9000"
    })
public final class Lakestream implements Runnable {

  static final int CANNOT = 2;

  private static final int USAGE_WIDTH = 100;

  @Spec private CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of failures.")
  private boolean debug;

  private final PrintStream binaryOut;

  private Lakestream(PrintStream binaryOut) {
    this.binaryOut = binaryOut;
  }

  public static void main(String[] args) {
    System.exit(run(System.out, System.err, args));
  }

  /** Runs one command line; returns the exit status. */
  static int run(PrintStream out, PrintStream err, String... args) {
    CommandLine commandLine = new CommandLine(new Lakestream(out));
    commandLine.setOut(writer(out));
    commandLine.setErr(writer(err));
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setUsageHelpLongOptionsMaxWidth(32);
    commandLine.setUsageHelpWidth(USAGE_WIDTH);
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          command.getOut().flush();
          return explain(failure, command);
        });
    int status = commandLine.execute(args);
    commandLine.getOut().flush();
    commandLine.getErr().flush();
    return status;
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
  }

  private static int explain(Exception failure, CommandLine command) {
    PrintWriter err = command.getErr();
    Lakestream root = command.getCommandSpec().root().commandLine().getCommand();
    if (failure instanceof InterruptedOperationException) {
      err.println("lakestream: interrupted.");
    } else if (failure instanceof LakestreamException || failure instanceof IOException) {
      err.println("lakestream: " + failure.getMessage());
    } else {
      err.println("lakestream: failed unexpectedly: " + failure);
      err.println("This is a defect; --debug shows where it happened.");
    }
    if (root.debug) {
      failure.printStackTrace(err);
    }
    err.flush();
    return CANNOT;
  }

  /** Standard output for bytes that are no text. */
  PrintStream binaryOut() {
    return binaryOut;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }

  /** The version of the build. */
  static final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
      Properties properties = new Properties();
      try (InputStream in = Lakestream.class.getResourceAsStream("version.properties")) {
        properties.load(in);
      }
      return new String[] {"lakestream " + properties.getProperty("version")};
    }
  }
}
