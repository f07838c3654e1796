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

import dev.lakestream.format.CorruptObjectException;

/**
 * What must hold inside any one manifest (invariants I1 and I2, as far as one manifest shows them).
 */
final class ManifestRules {

  private ManifestRules() {}

  /** The manifest itself; {@link CorruptObjectException} if it contradicts itself. */
  static Manifest checked(Manifest manifest, String what) {
    long step = manifest.tailFirstStep();
    long row = manifest.tail().isEmpty() ? manifest.nextRow() : manifest.tail().get(0).firstRow();
    if (manifest.sealed().isPresent()) {
      SegmentRef root = manifest.sealed().get();
      require(
          root.firstStep() <= manifest.firstStep(),
          what,
          "steps " + manifest.firstStep() + " to " + root.firstStep() + " are in no bundle");
      require(
          root.nextStep() == step,
          what,
          "steps " + root.nextStep() + " to " + step + " are in no bundle");
      require(
          root.nextRow() == row,
          what,
          "rows " + root.nextRow() + " to " + row + " are in no bundle");
    } else {
      require(
          step <= manifest.firstStep() || manifest.tail().isEmpty() && step == manifest.firstStep(),
          what,
          "steps " + manifest.firstStep() + " to " + step + " are in no bundle");
    }
    for (BundleDescriptor bundle : manifest.tail()) {
      require(
          bundle.firstStep() == step,
          what,
          "step " + step + " is followed by a bundle of step " + bundle.firstStep());
      require(
          bundle.firstRow() == row,
          what,
          "row " + row + " is followed by a bundle of row " + bundle.firstRow());
      require(
          bundle.bundle().tgbCount() > 0,
          what,
          "bundle " + bundle.bundle().object() + " holds no step");
      step = bundle.nextStep();
      row = bundle.nextRow();
    }
    require(
        step == manifest.nextStep(),
        what,
        "its bundles end at step " + step + ", not " + manifest.nextStep());
    require(
        row == manifest.nextRow(),
        what,
        "its bundles end at row " + row + ", not " + manifest.nextRow());
    require(
        manifest.firstStep() >= 0 && manifest.firstStep() <= manifest.nextStep(),
        what,
        "it is trimmed to step " + manifest.firstStep() + " and ends at " + manifest.nextStep());
    return manifest;
  }

  private static void require(boolean holds, String what, String broken) {
    if (!holds) {
      throw new CorruptObjectException(what + " contradicts itself: " + broken + ".");
    }
  }
}
