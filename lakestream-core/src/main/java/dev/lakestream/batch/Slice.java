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

import java.nio.ByteBuffer;

/**
 * What one (d, c) position of a batch reads: opaque here, in the stream's slice format.
 *
 * @param bytes read-only from here on; may be empty
 * @param records how many records the bytes hold, 0 or more
 */
public record Slice(ByteBuffer bytes, int records) {

  public Slice {
    if (bytes == null) {
      throw new InvalidBatchException(
          "A slice without bytes (null). An empty slice is ByteBuffer.allocate(0).");
    }
    if (records < 0) {
      throw new InvalidBatchException("A slice of " + records + " records.");
    }
  }

  public static Slice of(byte[] bytes, int records) {
    return new Slice(bytes == null ? null : ByteBuffer.wrap(bytes), records);
  }
}
