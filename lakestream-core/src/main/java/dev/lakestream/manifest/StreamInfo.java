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

import dev.lakestream.batch.Mesh;
import java.util.Map;
import java.util.UUID;

/**
 * What a stream is from its first moment on, as its {@code stream} object says.
 *
 * @param id cursors, watermarks and Flink state carry it and are refused by any other stream
 *     (invariant I10)
 * @param defaultMesh of producers that do not say otherwise
 * @param sliceFormat what the bytes of a slice are
 * @param schema of the records, in the terms of the slice format; may be empty
 * @param options free; never secrets
 */
public record StreamInfo(
    UUID id,
    long createdAt,
    Mesh defaultMesh,
    String sliceFormat,
    String schema,
    Map<String, String> options) {

  public StreamInfo {
    options = Map.copyOf(options);
  }

  /** A stream to be created now. */
  public static StreamInfo create(Mesh defaultMesh, String sliceFormat) {
    return new StreamInfo(
        UUID.randomUUID(), System.currentTimeMillis(), defaultMesh, sliceFormat, "", Map.of());
  }
}
