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
package dev.lakestream.batch;

import java.util.List;
import java.util.Map;

/**
 * The batch of one optimiser step before it has a step: D x C slices, all of which become visible
 * together or not at all ([L] section 3.1, Transactional Global Batch).
 *
 * @param mesh the shape
 * @param slices exactly {@code mesh.slices()}; slice (d, c) is number {@code mesh.index(d, c)}
 * @param eventTime of its records; null: unknown
 * @param attributes free, small, kept with the batch
 */
public record GlobalBatch(
    Mesh mesh, List<Slice> slices, EventTimeRange eventTime, Map<String, String> attributes) {

  public GlobalBatch {
    if (mesh == null || slices == null) {
      throw new InvalidBatchException("A batch without " + (mesh == null ? "a mesh." : "slices."));
    }
    if (slices.size() != mesh.slices()) {
      throw new InvalidBatchException(
          "A batch for a mesh of "
              + mesh
              + " needs "
              + mesh.slices()
              + " slices and has "
              + slices.size()
              + ".");
    }
    for (int i = 0; i < slices.size(); i++) {
      if (slices.get(i) == null) {
        throw new InvalidBatchException(
            "Slice ("
                + i / mesh.cp()
                + ", "
                + i % mesh.cp()
                + ") of a batch for a mesh of "
                + mesh
                + " is null. A rank without data needs an empty slice.");
      }
    }
    slices = List.copyOf(slices);
    attributes = attributes == null ? Map.of() : Map.copyOf(attributes);
  }

  public static GlobalBatch of(Mesh mesh, List<Slice> slices) {
    return new GlobalBatch(mesh, slices, null, Map.of());
  }

  /** Over all slices. */
  public long records() {
    return slices.stream().mapToLong(Slice::records).sum();
  }

  /** Over all slices, in bytes, before compression. */
  public long bytes() {
    return slices.stream().mapToLong(slice -> slice.bytes().remaining()).sum();
  }
}
