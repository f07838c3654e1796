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
import dev.lakestream.store.ObjectStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command on a stream that exists: which one, help and version, and standard output. */
@Command(mixinStandardHelpOptions = true, versionProvider = Lakestream.Version.class)
abstract class StreamCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private StreamOptions stream;

  @Override
  public final Integer call() throws IOException {
    checkOptions();
    try (ObjectStore store = stream.open()) {
      run(TrainingStream.open(store));
      return 0;
    }
  }

  /** Before the stream is opened; throws {@link #wrong}. */
  void checkOptions() {}

  /** Does it. The stream is closed afterwards. */
  abstract void run(TrainingStream opened) throws IOException;

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** The top of the command line. */
  final Lakestream root() {
    return spec.root().commandLine().getCommand();
  }

  /** A mistake in what was written on the command line, which usage is printed for. */
  final ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** As above: the message of what refused it. */
  final ParameterException wrong(Exception refusal) {
    return new ParameterException(spec.commandLine(), refusal.getMessage(), refusal);
  }
}
