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

import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.retention.ReclaimedStream.Writer;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which manifests and segments of the past stay. */
class ReclaimerHistoryTest {

  private final ReclaimedStream stream = new ReclaimedStream();
  private final Writer writer = stream.writer;

  @Test
  void theNewestManifestsStayAndTheHeadAlways() {
    writer.commits(30, 1);
    ReclaimSettings ten = AT_ONCE.keepManifests(10);
    ReclaimResult result = stream.reclaim(ten);
    assertThat(stream.keys("manifest/")).hasSize(10);
    assertThat(result.oldestManifest()).isEqualTo(stream.head().version() - 9);
    stream.reclaim(AT_ONCE);
    assertThat(stream.keys("manifest/"))
        .containsExactly(StreamKeys.manifest(stream.head().version()));
  }

  @Test
  void manifestsWhoseSuccessorIsYoungStay() {
    writer.commits(10, 1);
    stream.time.pass(Duration.ofMinutes(50));
    writer.commits(10, 1);
    stream.time.pass(Duration.ofMinutes(20));
    stream.reclaim(AT_ONCE.manifestAge(Duration.ofHours(1)));
    // 0 is the creation, 1 the takeover; the successor of the tenth commit is 20 minutes old.
    assertThat(stream.keys("manifest/").get(0)).isEqualTo(StreamKeys.manifest(11));
    stream.time.pass(Duration.ofHours(1));
    stream.reclaim(AT_ONCE.manifestAge(Duration.ofHours(1)));
    assertThat(stream.keys("manifest/")).hasSize(1);
  }

  @Test
  void readersAtARetainedManifestFindTheirSegments() {
    writer.commits(300, 1);
    stream.watermark(120);
    stream.reclaim(AT_ONCE.keepManifests(60));
    int readable = 0;
    for (long version = stream.head().version(); version >= 0; version--) {
      var manifest = stream.open().log().at(version);
      if (manifest.isPresent()) {
        readable++;
        // A stream of its own, so that nothing comes out of a cache.
        var bundles =
            stream
                .open()
                .history(manifest.get())
                .bundles(manifest.get().firstStep(), Integer.MAX_VALUE);
        assertThat(bundles).isNotEmpty();
      }
    }
    assertThat(readable).isEqualTo(60);
    stream.verifyIntact();
  }

  @Test
  void segmentsThatNothingLeadsToGo() {
    writer.commits(400, 1);
    int before = stream.keys("segment/").size();
    stream.reclaim(AT_ONCE);
    Set<String> live = new TreeSet<>();
    stream.opened.history(stream.head()).segments().forEach(ref -> live.add(ref.object()));
    assertThat(stream.keys("segment/")).hasSizeLessThan(before).containsExactlyElementsOf(live);
    stream.watermark(400);
    stream.reclaim(AT_ONCE);
    assertThat(stream.keys("segment/")).isEmpty();
  }
}
