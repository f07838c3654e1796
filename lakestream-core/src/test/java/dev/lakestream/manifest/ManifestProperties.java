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
package dev.lakestream.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.lakestream.store.MemoryStore;
import java.nio.ByteBuffer;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds for the manifests of any history. */
class ManifestProperties {

  private static final int COMMITS = 40;

  @Property(tries = 150)
  void theDeltaTurnsTheParentIntoTheChild(@ForAll long seed) {
    RandomHistory history = new RandomHistory(new MemoryStore(), seed);
    for (int i = 0; i < COMMITS; i++) {
      Manifest parent = history.head();
      Manifest child = history.advance();
      assertThat(ManifestDelta.between(parent, child).applyTo(parent)).isEqualTo(child);
    }
  }

  @Property(tries = 50)
  void everythingThatIsWrittenIsRead(@ForAll long seed) {
    RandomHistory history = new RandomHistory(new MemoryStore(), seed);
    for (int i = 0; i < COMMITS; i++) {
      Manifest parent = history.head();
      Manifest child = history.advance();
      byte[] object = ManifestCodec.encode(child, Optional.of(parent));
      assertThat(ManifestCodec.decode(ByteBuffer.wrap(object), "it")).isEqualTo(child);
      assertThat(
              ManifestCodec.decodeDelta(ByteBuffer.wrap(object), "it")
                  .orElseThrow()
                  .applyTo(parent))
          .isEqualTo(child);
    }
  }

  @Property(tries = 50)
  void equalManifestsAreEqualBytes(@ForAll long seed) {
    RandomHistory one = new RandomHistory(new MemoryStore(), seed);
    for (int i = 0; i < 10; i++) {
      one.advance();
    }
    byte[] object = ManifestCodec.encode(one.head(), Optional.empty());
    Manifest copy = ManifestCodec.decode(ByteBuffer.wrap(object), "it");
    assertThat(ManifestCodec.encode(copy, Optional.empty())).isEqualTo(object);
  }

  @Property(tries = 60)
  void everyStepAboveTheTrimIsFoundAndNoneBelow(@ForAll long seed) {
    RandomHistory history = new RandomHistory(new MemoryStore(), seed);
    for (int i = 0; i < 60; i++) {
      history.advance();
    }
    Manifest head = history.head();
    History lookups = new History(new Segments(history.store, head.streamId()), head);
    for (long step = head.firstStep(); step < head.nextStep(); step++) {
      BundleDescriptor expected = history.bundleOf(step);
      assertThat(lookups.bundleOf(step)).contains(expected);
      step = Math.max(step, expected.nextStep() - 2);
    }
    assertThat(lookups.bundleOf(head.nextStep())).isEmpty();
    if (head.firstStep() > 0) {
      assertThat(
              catchThrowableOfType(
                      TrimmedException.class, () -> lookups.bundleOf(head.firstStep() - 1))
                  .firstStepHeld())
          .isEqualTo(head.firstStep());
    }
  }
}
