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

import java.util.List;
import java.util.Optional;

/** Runs one benchmark by name; without a name, lists them. */
public final class Bench {

  private static final List<Benchmark> ALL =
      List.of(
          new CommitCost(),
          new Ingest(),
          new Scan(),
          new Read(),
          new Accelerator(),
          new Retention());

  private Bench() {}

  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      System.out.println("Benchmarks (bin/bench NAME [CASE …]):");
      ALL.forEach(b -> System.out.printf("  %-14s %s%n", b.name(), b.description()));
      return;
    }
    Optional<Benchmark> wanted = ALL.stream().filter(b -> b.name().equals(args[0])).findFirst();
    if (wanted.isEmpty()) {
      System.err.println(
          "There is no benchmark \""
              + args[0]
              + "\". There are: "
              + String.join(", ", ALL.stream().map(Benchmark::name).toList())
              + ".");
      System.exit(2);
    }
    System.out.println(wanted.get().run(List.of(args).subList(1, args.length)));
  }
}
