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

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.slice.RecordSlice;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;

/**
 * Makes the bytes of a slice of the samples in it, in the slice format of the stream. One instance
 * serves one assembler.
 */
public interface SliceEncoder {

  /** Opaque samples in the slice format records, which choose no slice. */
  SliceEncoder RECORDS =
      samples -> RecordSlice.encode(samples.stream().map(Sample.Bytes::payload).toList());

  /**
   * The slice; called with at least one sample.
   *
   * @throws InvalidBatchException if they do not fit into one
   */
  ByteBuffer encode(List<Sample.Bytes> samples);

  /**
   * Which slice of its batch a sample asks for, by {@code Mesh.index}; empty: the next one in
   * order. All samples of an assembler answer, or none does.
   */
  default OptionalInt sliceOf(Sample.Bytes sample) {
    return OptionalInt.empty();
  }

  /**
   * Whether the sample can be encoded, as far as that is cheap to say.
   *
   * @throws InvalidSampleException if it cannot
   */
  default void check(Sample.Bytes sample) {}

  /** Whether so many samples with payloads of so many bytes fit into one slice. */
  default boolean fits(int count, long payload) {
    return RecordSlice.fits(count, payload);
  }
}
