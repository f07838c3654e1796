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

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A process of its own for a class on this class path. It ends with this process at the latest. */
final class JavaProcess {

  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final Process process;
  private final String name;
  private final Path output;
  private final Path log;

  private JavaProcess(Process process, String name, Path output, Path log) {
    this.process = process;
    this.name = name;
    this.output = output;
    this.log = log;
  }

  /**
   * Starts it.
   *
   * @param name for messages, and of its files in {@code logs}: {@code name.log} has what it logs,
   *     {@code name.out} what else it prints
   * @param piped whether its standard output is for {@link #process} and not for a file
   */
  static JavaProcess start(
      String name,
      Class<?> main,
      List<String> options,
      List<String> arguments,
      Map<String, String> environment,
      Path logs,
      boolean piped) {
    Path output = logs.resolve(name + ".out");
    Path log = logs.resolve(name + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--add-opens") || option.startsWith("--add-exports"))
        .forEach(command::add);
    command.addAll(options);
    command.add("-Dfile.encoding=UTF-8");
    command.add("-Dlakestream.log=" + log);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectError(output.toFile());
    if (!piped) {
      builder.redirectErrorStream(true).redirectOutput(output.toFile());
    }
    try {
      Process process = builder.start();
      RUNNING.add(process);
      return new JavaProcess(process, name, output, log);
    } catch (IOException e) {
      throw new QuickstartException("Cannot start " + name + ": " + e.getMessage(), e);
    }
  }

  Process process() {
    return process;
  }

  /** SIGKILL: it has no chance to put anything in order. */
  void kill() {
    process.destroyForcibly();
    waitFor();
  }

  /**
   * Waits for its end.
   *
   * @throws QuickstartException if it failed; the message has its last words
   */
  void requireSuccess() {
    int status = waitFor();
    if (status != 0) {
      throw new QuickstartException(
          name + " failed with status " + status + ". " + lastWords() + "\nIts log is " + log);
    }
  }

  private int waitFor() {
    try {
      int status = process.waitFor();
      RUNNING.remove(process);
      return status;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QuickstartException("Interrupted while " + name + " was running.", e);
    }
  }

  /** The root cause of the exception that it ended with. */
  private String lastWords() {
    try {
      List<String> lines =
          Files.readAllLines(output).stream()
              .filter(line -> line.startsWith("Caused by: ") || line.startsWith("Exception in "))
              .toList();
      return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    } catch (IOException e) {
      return "";
    }
  }
}
