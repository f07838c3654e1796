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
package dev.lakestream.assembly;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What tests of assemblers share. */
final class Assemblers {

  private Assemblers() {}

  /** A sample whose payload is its id, so that batches show which samples they hold. */
  static Sample numbered(long id) {
    return Sample.ofBytes(id, ByteBuffer.allocate(8).putLong(0, id));
  }

  /** Adds the sample and takes what is complete. */
  static List<GlobalBatch> feed(BatchAssembler assembler, Sample sample) {
    assembler.add(sample);
    List<GlobalBatch> batches = new ArrayList<>();
    for (Optional<GlobalBatch> batch = assembler.poll();
        batch.isPresent();
        batch = assembler.poll()) {
      batches.add(batch.get());
    }
    return batches;
  }

  /** The ids of the numbered samples in one slice. */
  static List<Long> numbers(Slice slice) {
    return RecordSlice.decode(slice.bytes()).records().stream()
        .map(record -> record.getLong(0))
        .toList();
  }

  /** The ids of the numbered samples in all batches, in order. */
  static List<Long> numbers(List<GlobalBatch> batches) {
    return batches.stream()
        .flatMap(batch -> batch.slices().stream())
        .flatMap(slice -> numbers(slice).stream())
        .toList();
  }
}
