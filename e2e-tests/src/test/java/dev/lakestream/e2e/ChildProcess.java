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
package dev.lakestream.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A Java process that ends with this one at the latest, also when this one is killed. */
final class ChildProcess implements AutoCloseable {

  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  /** Of each file that an error message repeats, in characters. */
  private static final int LAST_WORDS = 4_000;

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final String name;
  private final Process process;
  private final List<Path> words;

  private ChildProcess(String name, Process process, List<Path> words) {
    this.name = name;
    this.process = process;
    this.words = words;
  }

  /**
   * Starts {@code java arguments…}.
   *
   * @param output where standard output and error go
   * @param log where it logs; only read, for messages
   * @param scratch where the agent is put that ties the process to this one
   */
  static ChildProcess java(
      String name,
      List<String> arguments,
      Map<String, String> environment,
      Path output,
      Path log,
      Path scratch) {
    List<String> command = new ArrayList<>();
    command.add(javaCommand());
    command.add("-javaagent:" + agent(scratch));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      RUNNING.add(process);
      return new ChildProcess(name, process, List.of(output, log));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot start " + name, e);
    }
  }

  static String javaCommand() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static synchronized Path agent(Path scratch) {
    Path jar = scratch.resolve("tether.jar");
    if (!Files.exists(jar)) {
      OneClassJar.write(jar, Tether.class, Map.of("Premain-Class", Tether.class.getName()));
    }
    return jar;
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Ends the wait for something that will never come. */
  void requireAlive() {
    if (!process.isAlive()) {
      throw new AssertionError(
          name + " ended with status " + process.exitValue() + ":\n" + lastWords());
    }
  }

  private String lastWords() {
    StringBuilder last = new StringBuilder();
    for (Path file : words) {
      try {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        last.append(text.substring(Math.max(0, text.length() - LAST_WORDS)));
      } catch (IOException e) {
        last.append("(").append(file).append(" cannot be read: ").append(e).append(")\n");
      }
    }
    return last.toString();
  }

  /** SIGKILL: it has no chance to put anything in order. */
  void kill() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new AssertionError(name + " (" + pid() + ") survives SIGKILL");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while " + name + " was being killed", e);
    }
    RUNNING.remove(process);
  }

  @Override
  public void close() {
    kill();
  }
}
