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

import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;

/**
 * From a cursor to where a reader stands, and back. A cursor comes out of a model checkpoint: to go
 * on from a wrong one is to train on the wrong data, unnoticed.
 *
 * <p>Assumptions, and what is refused when one fails:
 *
 * <ul>
 *   <li>The cursor is of this stream, by its id.
 *   <li>The stream is not older than the cursor: what is known may be, and then the store is asked;
 *       a copy that ends before the cursor is refused.
 *   <li>The step is still held.
 *   <li>The row that the cursor names is in the step that it names, and the mode and mesh lead from
 *       where it stands to a whole step of this reader.
 * </ul>
 */
final class Resumption {

  private final TrainingStream stream;
  private final Topology topology;
  private final ManifestWatch watch;

  Resumption(TrainingStream stream, Topology topology, ManifestWatch watch) {
    this.stream = stream;
    this.topology = topology;
    this.watch = watch;
  }

  static void requireSameStream(TrainingStream stream, Cursor cursor) {
    if (!cursor.streamId().equals(stream.id())) {
      throw new ForeignCursorException(
          "The cursor is of stream "
              + cursor.streamId()
              + ", and "
              + stream.store().address()
              + " holds stream "
              + stream.id()
              + ". Open the stream that the checkpoint was trained on, or seek to a step of this one.");
    }
  }

  /** What is known if it covers the step and version; otherwise the store is asked. */
  static Manifest covering(
      TrainingStream stream, ManifestWatch watch, long wantedStep, long wantedVersion) {
    Manifest known = watch.manifest();
    return wantedStep <= known.nextStep() && wantedVersion <= known.version()
        ? known
        : watch.renew(stream);
  }

  static void requireHeld(TrainingStream stream, long step, Manifest newest) {
    if (step < newest.firstStep()) {
      throw new TrimmedException(stream.id(), step, newest.firstStep());
    }
  }

  /** Refuses a cursor that this reader cannot go on from. */
  void check(Cursor cursor) {
    Manifest newest = covering(stream, watch, cursor.step(), cursor.version());
    if (cursor.version() > newest.version()
        || cursor.step() > newest.nextStep()
        || cursor.row() > newest.nextRow()) {
      throw new ForeignCursorException(
          "The cursor stands at step "
              + cursor.step()
              + " of manifest "
              + cursor.version()
              + ", and "
              + stream
              + " ends at step "
              + newest.nextStep()
              + " of manifest "
              + newest.version()
              + ": this copy of the stream is older than the checkpoint. Restore the newer one, or seek"
              + " to a step that it holds.");
    }
    requireHeld(stream, cursor.step(), newest);
    try {
      checkPlace(cursor);
    } catch (MeshMismatchException e) {
      throw e.at("Cannot go on in " + stream);
    }
  }

  private void checkPlace(Cursor cursor) {
    long step = cursor.step();
    if (cursor.mode() != ReadMode.ROWS || cursor.row() == Cursor.UNKNOWN_ROW) {
      topology.checkResume(cursor.mesh(), step, cursor.row(), cursor.row(), cursor.mesh());
      return;
    }
    Stand.Place place = place(new Stand(step, cursor.row()));
    if (place.step() != step) {
      throw new ForeignCursorException(
          "The cursor stands at row "
              + cursor.row()
              + " of step "
              + step
              + ", and in "
              + stream
              + " that row is of step "
              + place.step()
              + ": it is not the stream that the checkpoint was trained on.");
    }
    topology.checkResume(cursor.mesh(), step, cursor.row(), place.firstRow(), place.mesh());
  }

  private Stand.Place place(Stand stand) {
    return watch.lookUp(stream, manifest -> stand.place(stream.history(manifest)));
  }

  /** The cursor of a reader that stands there; what it does not know of its place is looked up. */
  Cursor cursor(Stand stand, long version) {
    Stand known =
        stand.knowsRow()
            ? stand
            : watch.lookUp(stream, manifest -> stand.withRow(stream.history(manifest)));
    long step = topology.mode() == ReadMode.ROWS ? place(known).step() : known.step();
    return new Cursor(stream.id(), version, step, known.row(), topology.mesh(), topology.mode());
  }
}
