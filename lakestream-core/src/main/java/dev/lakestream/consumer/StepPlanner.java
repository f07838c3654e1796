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
import dev.lakestream.consumer.topology.Part;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.RecordCounts;
import dev.lakestream.consumer.topology.RowPlace;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.BundleDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Which consumer steps of a rank lie in a bundle, and which slices they need. */
final class StepPlanner {

  private final Topology topology;
  private final BundleDescriptor bundle;
  private final Mesh mesh;

  StepPlanner(Topology topology, BundleDescriptor bundle) {
    this.topology = topology;
    this.bundle = bundle;
    this.mesh = bundle.bundle().mesh();
  }

  /**
   * In order, from where the reader stands.
   *
   * @param counts of a TGB; asked only if the topology needs them
   * @param endRow a consumer step is there if all of its rows lie before this one
   */
  List<PlannedStep> steps(Stand from, IntFunction<RecordCounts> counts, long endRow) {
    return topology.mode() == ReadMode.ROWS ? rows(from, endRow) : whole(from, counts);
  }

  private List<PlannedStep> whole(Stand from, IntFunction<RecordCounts> counts) {
    List<PlannedStep> steps = new ArrayList<>();
    for (long step = Math.max(from.step(), bundle.firstStep()); step < bundle.nextStep(); step++) {
      int tgb = (int) (step - bundle.firstStep());
      List<Part> parts =
          topology.ofStep(step, mesh, topology.needsRecordCounts(mesh) ? counts.apply(tgb) : null);
      List<Integer> sections = parts.stream().map(part -> mesh.index(part.d(), part.c())).toList();
      Stand next = new Stand(step + 1, bundle.rowOf(step) + mesh.dp());
      steps.add(new PlannedStep(step, bundle.rowOf(step), tgb, -1, sections, parts, next));
    }
    return steps;
  }

  private List<PlannedStep> rows(Stand from, long endRow) {
    List<PlannedStep> steps = new ArrayList<>();
    int dp = topology.mesh().dp();
    Topology.Chunks chunks = topology.chunks(mesh);
    for (long row = from.row();
        row + topology.d() < bundle.nextRow() && row + dp <= endRow;
        row += dp) {
      RowPlace place = RowPlace.of(bundle.firstStep(), bundle.firstRow(), mesh, row + topology.d());
      int begin = mesh.index(place.d(), chunks.from());
      List<Integer> sections =
          IntStream.range(begin, begin + chunks.to() - chunks.from()).boxed().toList();
      int tgb = (int) (place.step() - bundle.firstStep());
      steps.add(
          new PlannedStep(
              place.step(), row, tgb, place.d(), sections, null, after(row + dp, place.step())));
    }
    return steps;
  }

  /** Names the step where this bundle tells it; otherwise an earlier one. */
  private Stand after(long row, long step) {
    if (row == bundle.nextRow()) {
      return new Stand(bundle.nextStep(), row);
    }
    return row < bundle.nextRow()
        ? new Stand(RowPlace.of(bundle.firstStep(), bundle.firstRow(), mesh, row).step(), row)
        : new Stand(step, row);
  }
}
