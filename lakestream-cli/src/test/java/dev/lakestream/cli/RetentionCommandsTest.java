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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.commit.FencedException;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.retention.RankRecorder;
import dev.lakestream.retention.Tags;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that look after a stream: gc, tag, untag, retire, watermarks, lag, tail. */
class RetentionCommandsTest {

  private static final Mesh MESH = new Mesh(2, 1);

  @TempDir Path directory;

  private ObjectStore store;
  private WrittenStream written;

  @BeforeEach
  void tenStepsInFiveBundles() {
    store = Stores.open(path(), Map.of("file.sync", "false"));
    written =
        WrittenStream.even(store, MESH, 100).commit(2).commit(2).commit(2).commit(2).commit(2);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private String path() {
    return directory.resolve("stream").toString();
  }

  private void record(String group, int rank, int world, long step) {
    new RankRecorder(written.stream(), group, rank, world, 1, 2)
        .record(new Cursor(written.stream().id(), 1, step, MESH));
  }

  private long bundles() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("stream/data"))) {
      return files.filter(Files::isRegularFile).count();
    }
  }

  @Test
  void aDryRunPrintsWhatWouldGoAndWhyAndTouchesNothing() throws IOException {
    record("train", 0, 1, 5);
    Run run = Run.of("gc", path(), "--dry-run").succeeded();
    assertThat(run.out().lines().filter(line -> line.contains("\twould-delete\tbundle\t")))
        .hasSize(2)
        .allMatch(line -> line.contains("published past checkpoint"));
    assertThat(run.out())
        .contains("Dry run: would free")
        .contains("(2 bundles)")
        .contains("Held: steps 5 … 9; 0 … 4 given up; held by rank 0 of group \"train\"");
    assertThat(bundles()).isEqualTo(5);
    assertThat(written.head().firstStep()).isZero();
  }

  @Test
  void gcDeletesAndAppendsALineForEachDeletionToTheAudit() throws IOException {
    record("train", 0, 1, 4);
    Path audit = directory.resolve("gc.log");
    Run run = Run.of("gc", path(), "--audit", audit.toString()).succeeded();
    assertThat(run.out()).contains("Freed").doesNotContain("\t");
    assertThat(Files.readAllLines(audit))
        .hasSize(2)
        .allSatisfy(
            line -> assertThat(line.split("\t", -1)).hasSize(6).contains("delete", "bundle"));
    assertThat(bundles()).isEqualTo(3);
    assertThat(written.head().firstStep()).isEqualTo(4);
    record("train", 0, 1, 6);
    record("train", 0, 1, 8);
    Run.of("gc", path(), "--audit", audit.toString()).succeeded();
    assertThat(Files.readAllLines(audit)).hasSize(3);
    assertThat(Run.of("verify", path()).status()).isZero();
  }

  @Test
  void withoutAWatermarkGcSaysThatNothingSaysWhatMayGo() throws IOException {
    assertThat(Run.of("gc", path()).succeeded().out())
        .contains("Held: steps 0 … 9; nothing is recorded that would say what may go");
    assertThat(bundles()).isEqualTo(5);
    Run.of("gc", path(), "--trim-to", "6").succeeded();
    assertThat(bundles()).isEqualTo(2);
  }

  @Test
  void wrongOptionsOfGcAreRefusedBeforeAnythingHappens() throws IOException {
    record("train", 0, 1, 9);
    for (String[] wrong :
        new String[][] {
          {"--keep-manifests", "0"},
          {"--orphan-age", "soon"},
          {"--every", "0s"},
          {"--trim-to", "-1"},
          {"--every", "10 weeks"}
        }) {
      Run run = Run.of("gc", path(), wrong[0], wrong[1]);
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err()).isNotEmpty();
    }
    assertThat(bundles()).isEqualTo(5);
  }

  @Test
  void everyGoesOnUntilInterrupted() throws Exception {
    record("train", 0, 1, 4);
    Run[] ended = {null};
    Thread loop =
        new Thread(() -> ended[0] = Run.of("gc", path(), "--every", "20ms"), "gc --every");
    loop.start();
    org.awaitility.Awaitility.await().until(() -> bundles() == 3);
    record("train", 0, 1, 6);
    record("train", 0, 1, 8);
    org.awaitility.Awaitility.await().until(() -> bundles() == 2);
    loop.interrupt();
    loop.join();
    assertThat(ended[0].out().lines().filter(line -> line.startsWith("Freed")))
        .hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void aTagIsMadeListedAndRemoved() {
    assertThat(
            Run.of("tag", path(), "v1", "--first", "2", "--last", "3", "--comment", "as published")
                .succeeded()
                .out())
        .contains("Tag v1 holds steps 2 … 3.");
    assertThat(new Tags(written.stream()).read("v1").orElseThrow().nextStep()).isEqualTo(4);
    assertThat(Run.of("tag", path()).succeeded().out()).contains("v1").contains("as published");
    assertThat(Run.of("untag", path(), "v1").succeeded().out()).contains("removed");
    Run again = Run.of("untag", path(), "v1");
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err()).contains("There is no tag \"v1\"");
  }

  @Test
  void tagsThatCannotBeMadeAreRefused() {
    assertThat(Run.of("tag", path(), "v1", "--first", "2").err()).contains("--last");
    assertThat(Run.of("tag", path(), "a b", "--first", "2", "--last", "3").status()).isEqualTo(2);
    assertThat(Run.of("tag", path(), "v1", "--first", "2", "--last", "99").err())
        .contains("ends at step");
    assertThat(Run.of("tag", path(), "v1", "--first", "3", "--last", "2").status()).isEqualTo(2);
  }

  @Test
  void watermarksShowWhoHoldsAndAGroupCanBeDropped() {
    record("train", 0, 2, 4);
    record("train", 1, 2, 6);
    record("train", 1, 2, 8);
    String out = Run.of("watermarks", path()).succeeded().out();
    assertThat(out.lines().filter(line -> line.startsWith("train"))).hasSize(2);
    assertThat(out).contains("6 8");
    assertThat(Run.of("watermarks", path(), "--json").succeeded().out())
        .contains("\"holds\" : true")
        .contains("\"worldSize\" : 2");
    assertThat(Run.of("watermarks", path(), "--drop", "train").succeeded().out())
        .contains("2 members");
    assertThat(Run.of("watermarks", path(), "--drop", "train").err()).contains("no group");
    assertThat(Run.of("watermarks", path(), "--drop", "a/b").status()).isEqualTo(2);
  }

  @Test
  void aProducerThatWillNotWriteAgainIsRetiredAndWhatItWroteStays() {
    assertThat(Run.of("retire", path(), "writer").succeeded().out())
        .isEqualTo("Producer writer is retired.\n");
    assertThat(written.head().producers()).isEmpty();
    assertThat(written.head().nextStep()).isEqualTo(10);
    Run again = Run.of("retire", path(), "writer");
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err()).contains("There is no producer \"writer\" of ");
    assertThat(Run.of("verify", path()).succeeded().out()).contains("INTACT");
  }

  @Test
  void aJobThatStillWritesAsARetiredProducerIsFenced() {
    Run.of("retire", path(), "writer").succeeded();
    assertThatThrownBy(() -> written.commit(1))
        .isInstanceOf(FencedException.class)
        .hasMessageContaining("it was retired");
  }

  @Test
  void lagNamesTheSlowestRankOfEachGroup() {
    record("train", 0, 2, 9);
    record("train", 1, 2, 4);
    record("replay", 0, 1, 7);
    new Tags(written.stream()).create("v1", 8, 9, "");
    String out = Run.of("lag", path()).succeeded().out();
    assertThat(out).contains("W_global: 4.");
    List<String> lines = out.lines().filter(line -> line.matches("(group|tag) .*")).toList();
    assertThat(lines.get(0)).matches("group +train +1 +4 +6 .*");
    assertThat(lines.get(1)).matches("group +replay +0 +7 +3 .*");
    assertThat(lines.get(2)).startsWith("tag").contains("v1");
    assertThat(Run.of("lag", path(), "--json").succeeded().out())
        .contains("\"watermark\" : 4")
        .contains("\"lag\" : 6");
  }

  @Test
  void tailPrintsPlainLinesWhereThereIsNoTerminal() {
    record("train", 0, 1, 4);
    String out = Run.of("tail", path(), "--interval", "5ms", "--count", "3").succeeded().out();
    assertThat(out.lines()).hasSize(3);
    assertThat(out.lines().toList().get(2))
        .contains("next step 10 (0.0/s)")
        .contains("held 10")
        .contains("lag train 6")
        .contains("storage ");
    assertThat(out).doesNotContain("\r").doesNotContain("\u001b");
  }
}
