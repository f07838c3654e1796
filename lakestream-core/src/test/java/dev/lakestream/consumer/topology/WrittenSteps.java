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
package dev.lakestream.consumer.topology;

import dev.lakestream.batch.Mesh;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps of a stream, as far as topology sees them: bundles of one mesh each, and how many
 * records each slice holds.
 *
 * @param sequenceLength L, where the shape is chunked
 */
record WrittenSteps(SliceShape shape, int sequenceLength, List<Bundle> bundles) {

  /**
   * @param firstStep and {@code firstRow}: where it begins
   * @param records for each step: of slice r = d * C + c
   */
  record Bundle(long firstStep, long firstRow, Mesh mesh, List<List<Integer>> records) {

    long nextStep() {
      return firstStep + records.size();
    }

    long nextRow() {
      return firstRow + (long) records.size() * mesh.dp();
    }

    long rowOf(long step) {
      return firstRow + (step - firstStep) * mesh.dp();
    }

    RecordCounts counts(long step) {
      List<Integer> of = records.get((int) (step - firstStep));
      return (d, c) -> of.get(mesh.index(d, c));
    }
  }

  /** Where a consumer stands. */
  record Position(long step, long row) {}

  static WrittenSteps of(SliceShape shape, int sequenceLength) {
    return new WrittenSteps(shape, sequenceLength, new ArrayList<>());
  }

  /** Adds a bundle. */
  WrittenSteps bundle(Mesh mesh, List<List<Integer>> records) {
    bundles.add(new Bundle(nextStep(), nextRow(), mesh, records));
    return this;
  }

  long nextStep() {
    return bundles.isEmpty() ? 0 : bundles.get(bundles.size() - 1).nextStep();
  }

  long nextRow() {
    return bundles.isEmpty() ? 0 : bundles.get(bundles.size() - 1).nextRow();
  }

  Bundle bundleOfStep(long step) {
    return bundles.stream().filter(b -> step < b.nextStep()).findFirst().orElseThrow();
  }

  Bundle bundleOfRow(long row) {
    return bundles.stream().filter(b -> row < b.nextRow()).findFirst().orElseThrow();
  }

  /** The first row of a step, which may be the one after the last. */
  Position atStep(long step) {
    return new Position(step, step == nextStep() ? nextRow() : bundleOfStep(step).rowOf(step));
  }

  Position atRow(long row) {
    if (row == nextRow()) {
      return new Position(nextStep(), row);
    }
    Bundle bundle = bundleOfRow(row);
    return new Position(
        RowPlace.of(bundle.firstStep(), bundle.firstRow(), bundle.mesh(), row).step(), row);
  }

  /** Whether the stream holds all of a consumer step that begins here. */
  boolean holds(Position at, ReadMode mode, Mesh reader) {
    return mode == ReadMode.ROWS ? at.row() + reader.dp() <= nextRow() : at.step() < nextStep();
  }

  /** Where the next consumer step begins. */
  Position after(Position at, ReadMode mode, Mesh reader) {
    return mode == ReadMode.ROWS ? atRow(at.row() + reader.dp()) : atStep(at.step() + 1);
  }

  /**
   * What one rank takes of the consumer step that begins here.
   *
   * @throws MeshMismatchException if it, or another rank of the step, cannot read its part
   */
  List<Part> parts(Position at, Topology rank) {
    if (rank.mode() == ReadMode.ROWS) {
      for (long row = at.row(); row < at.row() + rank.mesh().dp(); row++) {
        rank.check(bundleOfRow(row).mesh());
      }
      long row = at.row() + rank.d();
      Bundle bundle = bundleOfRow(row);
      RowPlace place = RowPlace.of(bundle.firstStep(), bundle.firstRow(), bundle.mesh(), row);
      List<Part> parts =
          rank.ofRow(place.step(), place.d(), bundle.mesh(), bundle.counts(place.step()));
      return rank.cutColumns(parts, bundle.mesh(), sequenceLength);
    }
    Bundle bundle = bundleOfStep(at.step());
    List<Part> parts = rank.ofStep(at.step(), bundle.mesh(), bundle.counts(at.step()));
    return rank.cutColumns(parts, bundle.mesh(), sequenceLength);
  }

  /** The ranks of a job, in rank order: C runs fastest. */
  static List<Topology> ranks(ReadMode mode, SliceShape shape, Mesh mesh) {
    List<Topology> ranks = new ArrayList<>();
    for (int r = 0; r < mesh.slices(); r++) {
      ranks.add(new Topology(mode, shape, mesh, r / mesh.cp(), r % mesh.cp()));
    }
    return ranks;
  }
}
