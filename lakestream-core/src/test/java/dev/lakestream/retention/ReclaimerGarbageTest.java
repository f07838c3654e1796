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
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.retention.ReclaimedStream.Writer;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Payload;
import dev.lakestream.store.PendingUpload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Bundles that no manifest refers to, unfinished uploads, and what is none of ours. */
class ReclaimerGarbageTest {

  private final ReclaimedStream stream = new ReclaimedStream();
  private final Writer writer = stream.writer;

  @Test
  void whatAFailedAttemptLeftGoesWhenItsLineageHasGonePast() {
    writer.commits(2, 1);
    StagedBundle left = writer.stage(1); // after checkpoint 2, and never committed
    stream.reclaim(AT_ONCE);
    assertThat(stream.memory.keys()).contains(left.object());
    writer.commits(1, 1); // checkpoint 3: the attempt that came after
    List<Deletion> deleted = new ArrayList<>();
    Reclaimer.of(stream.open(), AT_ONCE).listener(deleted::add).run();
    assertThat(deleted)
        .filteredOn(deletion -> deletion.kind() == Kind.BUNDLE)
        .singleElement()
        .satisfies(
            deletion -> {
              assertThat(deletion.key()).isEqualTo(left.object());
              assertThat(deletion.bytes()).isEqualTo(left.objectLength());
              assertThat(deletion.why()).contains("published past checkpoint 2");
            });
    stream.verifyIntact();
  }

  @Test
  void bundlesOfAnOwnerThatNoManifestNamesGoByAge() {
    writer.commits(1, 1);
    StagedBundle unknown = writer.stage(new UUID(7, 7), 0, 1);
    ReclaimSettings week = AT_ONCE.orphanAge(Duration.ofDays(7));
    stream.time.pass(Duration.ofDays(6));
    assertThat(stream.reclaim(week).pending().objects()).isEqualTo(1);
    stream.time.pass(Duration.ofDays(2));
    assertThat(stream.reclaim(week).deleted(Kind.BUNDLE).objects()).isEqualTo(1);
    assertThat(stream.memory.keys()).doesNotContain(unknown.object());
  }

  @Test
  void aClockThatRunsAheadMakesNothingOld() {
    writer.commits(1, 1);
    StagedBundle young = writer.stage(new UUID(7, 7), 0, 1);
    VirtualTime ahead = new VirtualTime();
    ahead.pass(Duration.ofDays(30));
    ReclaimResult result =
        Reclaimer.of(
                TrainingStream.open(stream.store, ahead), ReclaimSettings.DEFAULT.keepManifests(1))
            .run();
    assertThat(result.total().objects()).isZero();
    assertThat(stream.memory.keys()).contains(young.object());
    assertThat(stream.keys("probe/")).isEmpty();
  }

  /** B48: strange neighbours, some of them close to names of ours. */
  @Test
  void foreignKeysAreNeverDeleted() {
    writer.commits(70, 1);
    String bundle = stream.keys("data/").get(0);
    String segment = stream.keys("segment/").get(0);
    List<String> foreign =
        List.of(
            "_tmp",
            "README.md",
            "data/_tmp",
            "data/00/part-0.parquet",
            bundle + ".crc",
            bundle.replace(".bundle", ".BUNDLE"),
            bundle.replaceFirst("data/..", bundle.startsWith("data/00") ? "data/01" : "data/00"),
            "segment/_tmp",
            segment + ".bak",
            segment.replaceFirst(
                "segment/..", segment.startsWith("segment/00") ? "segment/01" : "segment/00"),
            "manifest/.crc",
            "manifest/00000012.json.bak",
            "manifest/00000000000000000001.manifest.bak",
            "manifest/99999999999999999999.manifest",
            "probe/notes",
            "tag/a b",
            "watermark/train/x");
    for (String key : foreign) {
      Futures.await(stream.memory.put(key, Payload.of(new byte[] {1})));
    }
    stream.watermark(70);
    stream.time.pass(Duration.ofDays(1000));
    stream.reclaim(AT_ONCE);
    assertThat(stream.keys("data/")).allMatch(foreign::contains);
    assertThat(stream.memory.keys()).containsAll(foreign).contains("stream", "watermark/train/0");
  }

  @Test
  void uploadsThatNeverEndedAreAbortedWhenTheyAreOld() {
    writer.commits(1, 1);
    List<PendingUpload> uploads = Collections.synchronizedList(new ArrayList<>());
    String ours = BundleName.create(writer.owner, 0, 0).object();
    long now = stream.time.currentTimeMillis();
    uploads.add(new PendingUpload(ours, "old", now - Duration.ofDays(2).toMillis()));
    uploads.add(new PendingUpload(ours, "young", now - Duration.ofHours(2).toMillis()));
    uploads.add(new PendingUpload("data/foreign", "f", 0));
    List<Deletion> deleted = new ArrayList<>();
    Reclaimer.of(
            TrainingStream.open(new UploadingStore(stream.store, uploads), stream.time),
            AT_ONCE.dryRun(true))
        .listener(deleted::add)
        .run();
    assertThat(uploads).hasSize(3);
    ReclaimResult result =
        Reclaimer.of(
                TrainingStream.open(new UploadingStore(stream.store, uploads), stream.time),
                AT_ONCE)
            .run();
    assertThat(result.deleted(Kind.UPLOAD).objects()).isEqualTo(1);
    assertThat(uploads).extracting(PendingUpload::id).containsExactly("young", "f");
    assertThat(deleted)
        .filteredOn(deletion -> deletion.kind() == Kind.UPLOAD)
        .singleElement()
        .extracting(Deletion::key)
        .isEqualTo(ours);
  }
}
