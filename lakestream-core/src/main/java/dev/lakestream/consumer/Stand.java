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
package dev.lakestream.consumer;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.RowPlace;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Manifest;
import java.util.List;

/**
 * Where a reader stands, as far as it knows.
 *
 * @param step the next one; in mode {@code rows} that step or an earlier one
 * @param row the next one; {@link Cursor#UNKNOWN_ROW}: the first one of the step
 */
record Stand(long step, long row) {

  private static final int LOOKUP = 16;

  static Stand atStep(long step) {
    return new Stand(step, Cursor.UNKNOWN_ROW);
  }

  boolean knowsRow() {
    return row != Cursor.UNKNOWN_ROW;
  }

  /** Where the first row of the step is. */
  Stand withRow(History history) {
    if (knowsRow()) {
      return this;
    }
    Manifest manifest = history.manifest();
    if (step == manifest.firstStep()) {
      return new Stand(step, manifest.firstRow());
    }
    if (step >= manifest.nextStep()) {
      return new Stand(step, manifest.nextRow());
    }
    return new Stand(step, history.bundleOf(step).orElseThrow().rowOf(step));
  }

  /** What a step is, whose row is known. */
  record Place(long step, long firstRow, Mesh mesh) {}

  /**
   * The step that holds the row; its mesh is null where it does not exist yet, or any more: then it
   * is the step that the stand names.
   */
  Place place(History history) {
    Manifest manifest = history.manifest();
    if (row < manifest.firstRow()) {
      return new Place(step, row, null);
    }
    if (row >= manifest.nextRow()) {
      return new Place(manifest.nextStep(), manifest.nextRow(), null);
    }
    long from = Math.max(step, manifest.firstStep());
    while (true) {
      List<BundleDescriptor> bundles = history.bundles(from, LOOKUP);
      for (BundleDescriptor bundle : bundles) {
        if (row < bundle.nextRow()) {
          Mesh mesh = bundle.bundle().mesh();
          long found = RowPlace.of(bundle.firstStep(), bundle.firstRow(), mesh, row).step();
          return new Place(found, bundle.rowOf(found), mesh);
        }
      }
      from = bundles.get(bundles.size() - 1).nextStep();
    }
  }
}
