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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.MemoryStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What maintenance makes of a stream that stands where another was dropped. */
class StreamDropTest {

  private static final Mesh MESH = new Mesh(2, 1);

  private final MemoryStore store = new MemoryStore();

  private WrittenStream second() {
    WrittenStream.uneven(store, MESH).commit(1, 2).commit(1);
    StreamDrop.run(TrainingStream.open(store));
    return WrittenStream.uneven(store, MESH).commit(3).commit(1);
  }

  @Test
  void everythingGoesButTheManifestThatEndsIt() {
    WrittenStream written = WrittenStream.uneven(store, MESH);
    for (int i = 0; i < 70; i++) {
      written.commit(1);
    }
    new Tags(written.stream()).create("kept", 0, 3, "");
    long head = written.head().version();
    StreamDrop.run(written.stream());
    assertThat(store.keys()).hasSize(1);
    assertThat(StreamKeys.manifestVersion(store.keys().iterator().next()).getAsLong())
        .isGreaterThan(head);
  }

  @Test
  void theNextStreamIsVerifiedDownToItsOwnFirstManifest() {
    WrittenStream written = second();
    VerifyResult result = StreamVerifier.of(written.stream()).verify();
    assertThat(result.isIntact()).isTrue();
    assertThat(result.errors()).isZero();
    assertThat(result.manifests()).isEqualTo(4);
    assertThat(result.steps()).isEqualTo(4);
  }

  @Test
  void theNextStreamIsReclaimed() {
    WrittenStream written = second();
    long root = written.head().version() - 3;
    ReclaimResult first =
        Reclaimer.of(
                written.stream(),
                ReclaimSettings.DEFAULT.keepManifests(100).manifestAge(Duration.ZERO).trimTo(3))
            .run();
    assertThat(first.oldestManifest()).isEqualTo(root);
    ReclaimResult result =
        Reclaimer.of(
                written.stream(),
                ReclaimSettings.DEFAULT.keepManifests(1).manifestAge(Duration.ZERO))
            .run();
    assertThat(result.oldestManifest()).isEqualTo(written.head().version());
    assertThat(written.head().firstStep()).isEqualTo(3);
  }
}
