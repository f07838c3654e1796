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
package dev.lakestream.flink.source;

import java.util.Arrays;
import java.util.Objects;

/**
 * A whole slice as one record.
 *
 * @param bytes in the stream's slice format; may be empty
 */
public record SliceRecord(SliceMetadata slice, byte[] bytes) {

  @Override
  public boolean equals(Object other) {
    return other instanceof SliceRecord that
        && slice.equals(that.slice)
        && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Objects.hash(slice, Arrays.hashCode(bytes));
  }
}
