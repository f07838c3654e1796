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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ManifestRulesTest {

  private static final List<BundleDescriptor> TAIL =
      List.of(bundle(4, 8, 2), bundle(6, 12, 1), bundle(7, 14, 3));

  @Test
  void aManifestInOrderPasses() {
    Manifest good = manifest(2, 10, 20, Optional.of(root(0, 4, 8)), TAIL);
    assertThat(ManifestRules.checked(good, "it")).isSameAs(good);
    Manifest unsealed = manifest(4, 10, 20, Optional.empty(), TAIL);
    assertThat(ManifestRules.checked(unsealed, "it")).isSameAs(unsealed);
    Manifest trimmed = manifest(10, 10, 20, Optional.empty(), List.of());
    assertThat(ManifestRules.checked(trimmed, "it")).isSameAs(trimmed);
  }

  @Test
  void aHoleBetweenBundlesIsFound() {
    refused(
        manifest(4, 10, 20, Optional.empty(), List.of(TAIL.get(0), TAIL.get(2))),
        "step 6 is followed by a bundle of step 7");
  }

  @Test
  void bundlesOutOfOrderAreFound() {
    refused(
        manifest(4, 10, 20, Optional.empty(), List.of(TAIL.get(1), TAIL.get(0), TAIL.get(2))),
        "steps 4 to 6 are in no bundle");
  }

  @Test
  void aBundleTwiceIsFound() {
    refused(
        manifest(4, 12, 20, Optional.empty(), List.of(TAIL.get(0), TAIL.get(0), TAIL.get(1))),
        "step 6 is followed by a bundle of step 4");
  }

  @Test
  void rowsThatDoNotFollowOneAnotherAreFound() {
    refused(
        manifest(4, 7, 14, Optional.empty(), List.of(TAIL.get(0), bundle(6, 13, 1))),
        "row 12 is followed by a bundle of row 13");
  }

  @Test
  void aTailThatEndsElsewhereIsFound() {
    refused(manifest(4, 11, 20, Optional.empty(), TAIL), "end at step 10, not 11");
    refused(manifest(4, 10, 21, Optional.empty(), TAIL), "end at row 20, not 21");
  }

  @Test
  void aHoleBetweenTheSealedAndTheTailIsFound() {
    refused(manifest(2, 10, 20, Optional.of(root(0, 3, 8)), TAIL), "steps 3 to 4 are in no bundle");
    refused(manifest(2, 10, 20, Optional.of(root(0, 4, 7)), TAIL), "rows 7 to 8 are in no bundle");
  }

  @Test
  void stepsThatNothingHoldsAreFound() {
    refused(manifest(2, 10, 20, Optional.empty(), TAIL), "steps 2 to 4 are in no bundle");
    refused(manifest(2, 10, 20, Optional.of(root(3, 1, 8)), TAIL), "steps 2 to 3 are in no bundle");
    refused(manifest(2, 10, 20, Optional.empty(), List.of()), "steps 2 to 10 are in no bundle");
  }

  @Test
  void aTrimPastTheEndIsFound() {
    refused(manifest(11, 10, 20, Optional.empty(), List.of()), "trimmed to step 11");
  }

  @Test
  void anEmptyBundleIsFound() {
    refused(manifest(4, 4, 8, Optional.empty(), List.of(bundle(4, 8, 0))), "holds no step");
  }

  private static void refused(Manifest manifest, String why) {
    assertThatThrownBy(() -> ManifestRules.checked(manifest, "Manifest 3 of x"))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("Manifest 3 of x")
        .hasMessageContaining(why);
  }

  private static BundleDescriptor bundle(long step, long row, int steps) {
    return new BundleDescriptor(Bundles.of(new UUID(5, 5), steps), step, row, "p", 1);
  }

  private static SegmentRef root(long firstStep, long steps, long rows) {
    return new SegmentRef("segment/00/x", 1, 0, 1, firstStep, steps, 0, rows, 1, 1, 1, null);
  }

  private static Manifest manifest(
      long firstStep,
      long nextStep,
      long nextRow,
      Optional<SegmentRef> sealed,
      List<BundleDescriptor> tail) {
    return new Manifest(
        Golden.STREAM,
        3,
        new UUID(3, 3),
        Optional.of(new UUID(2, 2)),
        0,
        firstStep,
        2 * firstStep,
        nextStep,
        nextRow,
        sealed,
        tail,
        List.of(),
        0,
        0,
        "append");
  }
}
