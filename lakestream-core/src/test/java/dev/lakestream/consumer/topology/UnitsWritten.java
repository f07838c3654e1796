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

import dev.lakestream.consumer.topology.WrittenSteps.Bundle;
import java.util.ArrayList;
import java.util.List;

/** What docs/topology.md promises that ranks read, told from the stream alone. */
final class UnitsWritten {

  private UnitsWritten() {}

  private static List<Unit> written(WrittenSteps stream, Bundle bundle, long step, int d) {
    List<Unit> units = new ArrayList<>();
    RecordCounts counts = bundle.counts(step);
    if (stream.shape() == SliceShape.CHUNKED) {
      for (int i = 0; i < counts.of(d, 0); i++) {
        for (int column = 0; column < stream.sequenceLength(); column++) {
          units.add(new Unit(step, d, -1, i, column));
        }
      }
      return units;
    }
    for (int c = 0; c < bundle.mesh().cp(); c++) {
      for (int i = 0; i < counts.of(d, c); i++) {
        units.add(new Unit(step, d, c, i, -1));
      }
    }
    return units;
  }

  static List<Unit> rows(WrittenSteps stream, long from, long to) {
    List<Unit> units = new ArrayList<>();
    long row = 0;
    for (Bundle bundle : stream.bundles()) {
      for (long step = bundle.firstStep(); step < bundle.nextStep(); step++) {
        for (int d = 0; d < bundle.mesh().dp(); d++, row++) {
          if (row >= from && row < to) {
            units.addAll(written(stream, bundle, step, d));
          }
        }
      }
    }
    return units;
  }

  static List<Unit> steps(WrittenSteps stream, long from, long to) {
    return rows(stream, stream.atStep(from).row(), stream.atStep(to).row());
  }
}
