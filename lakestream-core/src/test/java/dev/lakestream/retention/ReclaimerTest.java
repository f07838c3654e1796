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
package dev.lakestream.retention;

import static dev.lakestream.retention.ReclaimedStream.AT_ONCE;
import static dev.lakestream.retention.ReclaimedStream.MESH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.retention.ReclaimedStream.Writer;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run as a whole: repeated, rehearsed, interrupted and refused. */
class ReclaimerTest {

  private final ReclaimedStream stream = new ReclaimedStream();
  private final Writer writer = stream.writer;

  @Test
  void aSecondRunFindsNothingToDo() {
    writer.commits(70, 1);
    stream.watermark(50);
    stream.reclaim(AT_ONCE);
    List<String> after = stream.memory.keys();
    ReclaimResult again = stream.reclaim(AT_ONCE);
    assertThat(again.total().objects()).isZero();
    assertThat(stream.memory.keys()).isEqualTo(after);
  }

  @Test
  void pagesOfSevenHideNothing() {
    writer.commits(70, 1);
    stream.watermark(65);
    stream.store.on(Op.LIST).answer(Answer.pagesOf(7));
    ReclaimResult result = stream.reclaim(AT_ONCE);
    assertThat(result.deleted(Kind.BUNDLE).objects()).isEqualTo(65);
    assertThat(stream.keys("manifest/")).hasSize(1);
    stream.store.heal();
    stream.verifyIntact();
  }

  @Test
  void aDryRunSaysWhatARunDeletesAndWritesNothing() {
    writer.commits(150, 1);
    stream.watermark(77);
    StagedBundle orphan = writer.stage(new UUID(7, 7), 0, 1);
    stream.time.pass(Duration.ofDays(8));
    ReclaimSettings settings =
        ReclaimSettings.DEFAULT.keepManifests(20).manifestAge(Duration.ofHours(1));
    stream.store.log().clear();
    Set<String> announced = new TreeSet<>();
    ReclaimResult dry =
        Reclaimer.of(stream.open(), settings.dryRun(true))
            .listener(deletion -> announced.add(deletion.key()))
            .run();
    assertThat(stream.store.log().count(Op.PUT)).isZero();
    assertThat(stream.store.log().count(Op.CREATE)).isZero();
    assertThat(stream.store.log().count(Op.DELETE)).isZero();
    assertThat(dry.dryRun()).isTrue();
    assertThat(dry.firstStep()).isEqualTo(77);
    assertThat(stream.head().firstStep()).isZero();

    Set<String> before = new TreeSet<>(stream.memory.keys());
    Set<String> heard = new TreeSet<>();
    ReclaimResult wet =
        Reclaimer.of(stream.open(), settings).listener(deletion -> heard.add(deletion.key())).run();
    before.removeAll(stream.memory.keys());
    assertThat(before).isEqualTo(heard).contains(orphan.object());
    // The commit that trims makes one manifest more, so that one more of the old ones may go.
    heard.removeAll(announced);
    assertThat(heard).containsExactly(StreamKeys.manifest(132));
    assertThat(wet.deleted(Kind.BUNDLE)).isEqualTo(dry.deleted(Kind.BUNDLE));
    assertThat(wet.firstStep()).isEqualTo(dry.firstStep());
  }

  @Test
  void killedAnywhereItLeavesAnIntactStreamAndTheNextRunEnds() {
    for (int deletions = 0; ; deletions += 23) {
      if (!killedAfter(deletions)) {
        assertThat(deletions).isGreaterThan(100);
        return;
      }
    }
  }

  private static boolean killedAfter(int deletions) {
    ReclaimedStream fresh = new ReclaimedStream();
    fresh.writer.commits(130, 1);
    fresh.watermark(100);
    fresh.store.on(Op.DELETE).after(deletions).answer(Answer.fail(Fault.DENIED));
    boolean killed = false;
    try {
      fresh.reclaim(AT_ONCE.keepManifests(5));
    } catch (StoreException e) {
      killed = true;
    }
    fresh.store.heal();
    fresh.verifyIntact();
    fresh.reclaim(AT_ONCE.keepManifests(5));
    assertThat(fresh.keys("data/")).hasSize(30);
    assertThat(fresh.keys("manifest/")).hasSize(5);
    fresh.verifyIntact();
    return killed;
  }

  @Test
  void aDeletionThatIsRefusedEndsTheRunAndNamesTheObject() {
    writer.commits(10, 1);
    stream.watermark(5);
    stream.store.on(Op.DELETE, key -> key.startsWith("data/")).answer(Answer.fail(Fault.DENIED));
    assertThatThrownBy(() -> stream.reclaim(AT_ONCE))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("data/");
  }

  @Test
  void aSegmentThatCannotBeReadStopsItBeforeAnythingIsDeleted() {
    writer.commits(100, 1);
    stream.watermark(20);
    String root = stream.head().sealed().orElseThrow().object();
    Futures.await(stream.memory.put(root, Payload.of(new byte[] {1, 2, 3})));
    List<String> before = stream.keys("data/");
    assertThatThrownBy(() -> stream.reclaim(AT_ONCE)).isInstanceOf(RuntimeException.class);
    assertThat(stream.keys("data/")).isEqualTo(before);
  }

  /** B47: the address of the stream needs escaping. */
  @Test
  void aStreamUnderAStrangePathIsReclaimed(@TempDir Path directory) throws Exception {
    Path parent = Files.createDirectories(directory.resolve("a b+c%20#ü=é & ~"));
    try (var files = Stores.open(parent.resolve("s 1").toString(), Map.of("file.sync", "false"))) {
      var written = WrittenStream.even(files, MESH, 4).commit(2).commit(2).commit(2);
      new RankRecorder(written.stream(), "train", 0, 1, 0, 1)
          .record(new Cursor(written.stream().id(), 1, 4, MESH));
      ReclaimResult result = Reclaimer.of(written.stream(), AT_ONCE).run();
      assertThat(result.firstStep()).isEqualTo(4);
      assertThat(result.deleted(Kind.BUNDLE).objects()).isEqualTo(2);
      assertThat(StreamVerifier.of(TrainingStream.open(files)).verify().isIntact()).isTrue();
    }
  }
}
