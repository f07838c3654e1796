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
package dev.lakestream.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs one benchmark by name; without a name, lists them. */
public final class Bench {

  private static final int REFUSED = 2;

  /**
   * A benchmark, and the names of its parts, by which some of them can be chosen; none: it has no
   * parts.
   */
  record Entry(Benchmark benchmark, List<String> cases) {

    String name() {
      return benchmark.name();
    }
  }

  static final List<Entry> ALL =
      List.of(
          new Entry(new CommitCost(), List.of()),
          new Entry(new Ingest(), pairs(List.of("file", "s3"), List.of("100k", "1m", "10m"))),
          new Entry(new Scan(), pairs(List.of("file", "disk", "s3"), List.of("100k", "1m"))),
          new Entry(new Read(), pairs(List.of("100k", "1m", "10m"), List.of("8", "32", "128"))),
          new Entry(new Accelerator(), List.of("8", "32", "128")),
          new Entry(new Retention(), List.of()));

  private final List<Entry> entries;
  private final PrintStream out;
  private final PrintStream err;

  Bench(List<Entry> entries, PrintStream out, PrintStream err) {
    this.entries = entries;
    this.out = out;
    this.err = err;
  }

  public static void main(String[] args) throws Exception {
    int status = new Bench(ALL, System.out, System.err).run(List.of(args));
    if (status != 0) {
      System.exit(status);
    }
  }

  private static List<String> pairs(List<String> first, List<String> second) {
    return first.stream().flatMap(a -> second.stream().map(b -> a + "_" + b)).toList();
  }

  /** Returns the exit status; the last line of a measurement begins with RESULT. */
  int run(List<String> args) throws Exception {
    if (args.isEmpty()) {
      list();
      return 0;
    }
    Optional<Entry> wanted = entries.stream().filter(e -> e.name().equals(args.get(0))).findFirst();
    if (wanted.isEmpty()) {
      return refuse(
          "There is no benchmark \"" + args.get(0) + "\"", entries.stream().map(Entry::name));
    }
    List<String> cases = args.subList(1, args.size());
    List<String> unknown = new ArrayList<>(cases);
    unknown.removeAll(wanted.get().cases());
    if (!unknown.isEmpty()) {
      return refuse(
          "The benchmark \"" + args.get(0) + "\" has no case \"" + unknown.get(0) + "\"",
          wanted.get().cases().stream());
    }
    out.println(wanted.get().benchmark().run(cases));
    return 0;
  }

  private void list() {
    out.println("Benchmarks (bin/bench NAME [CASE …]):");
    for (Entry entry : entries) {
      out.printf("  %-14s %s%n", entry.name(), entry.benchmark().description());
      if (!entry.cases().isEmpty()) {
        out.printf("  %-14s cases: %s%n", "", String.join(" ", entry.cases()));
      }
    }
  }

  private int refuse(String why, Stream<String> known) {
    List<String> names = known.toList();
    err.println(
        why
            + ". "
            + (names.isEmpty() ? "It is run as a whole" : "There are: " + String.join(", ", names))
            + ".");
    return REFUSED;
  }
}
