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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command line of {@code bin/bench}; what it runs takes minutes and is not run here. */
class BenchTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<List<String>> runs = new ArrayList<>();

  /** Writes down what it was asked for. */
  private final class Recorded implements Benchmark {
    private final String name;

    Recorded(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String description() {
      return "what " + name + " measures";
    }

    @Override
    public Result run(List<String> cases) {
      runs.add(cases);
      return new Result(name).with("ratio", 0.98765).with("requests", 1234567L);
    }
  }

  private int run(String... args) throws Exception {
    List<Bench.Entry> entries =
        List.of(
            new Bench.Entry(new Recorded("parts"), List.of("file_1m", "s3_1m")),
            new Bench.Entry(new Recorded("whole"), List.of()));
    return new Bench(entries, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8))
        .run(List.of(args));
  }

  @Test
  void withoutANameTheBenchmarksAreListedWithTheirCases() throws Exception {
    assertThat(run()).isZero();
    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "Benchmarks (bin/bench NAME [CASE …]):",
            "  parts          what parts measures",
            "                 cases: file_1m s3_1m",
            "  whole          what whole measures");
    assertThat(runs).isEmpty();
  }

  @Test
  void aRunEndsWithALineOfItsFigures() throws Exception {
    assertThat(run("whole")).isZero();
    assertThat(out.toString(UTF_8)).isEqualTo("RESULT whole ratio=0.988 requests=1234567\n");
    assertThat(err.size()).isZero();
  }

  @Test
  void casesChooseParts() throws Exception {
    assertThat(run("parts", "s3_1m")).isZero();
    assertThat(run("parts")).isZero();
    assertThat(runs).containsExactly(List.of("s3_1m"), List.of());
  }

  @Test
  void anUnknownBenchmarkIsRefusedWithTheOnesThereAre() throws Exception {
    assertThat(run("part")).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .isEqualTo("There is no benchmark \"part\". There are: parts, whole.\n");
    assertThat(out.size()).isZero();
  }

  @Test
  void anUnknownCaseIsRefusedWithTheOnesThereAreAndNothingIsRun() throws Exception {
    assertThat(run("parts", "s3_1m", "s3_2m")).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .isEqualTo("The benchmark \"parts\" has no case \"s3_2m\". There are: file_1m, s3_1m.\n");
    assertThat(runs).isEmpty();
    assertThat(out.size()).isZero();
  }

  @Test
  void aBenchmarkWithoutPartsTakesNoCase() throws Exception {
    assertThat(run("whole", "file_1m")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("is run as a whole");
    assertThat(runs).isEmpty();
  }

  @Test
  void eachBenchmarkIsListedOnce() {
    assertThat(Bench.ALL)
        .extracting(Bench.Entry::name)
        .containsExactly("commit-cost", "ingest", "scan", "read", "accelerator", "retention");
    assertThat(Bench.ALL).allSatisfy(entry -> assertThat(entry.cases()).doesNotHaveDuplicates());
  }
}
