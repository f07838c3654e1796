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

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes records of some bytes of a slice, where the slice says at its end where things lie. Part of
 * a {@link SliceDeserializer}; used by several threads, but for {@link #read}.
 */
public interface SliceProjection<OUT> {

  /**
   * Bytes of a slice.
   *
   * @param offset counted from the beginning of the slice
   * @param crc CRC32C over them
   */
  record Range(long offset, int length, int crc) {}

  /**
   * What was fetched of a slice, verified.
   *
   * @param end the last bytes of the slice, as many as it takes to know what is wanted
   * @param wanted the bytes of each range, in order
   */
  record Parts(ByteBuffer end, List<ByteBuffer> wanted) {

    long bytes() {
      return end.remaining() + wanted.stream().mapToLong(ByteBuffer::remaining).sum();
    }
  }

  /**
   * How many bytes at the end of a slice say where things lie.
   *
   * @param end some last bytes of it, 16 at least
   * @return 0: it does not say, and is read whole
   */
  long endLength(ByteBuffer end);

  /**
   * What to fetch.
   *
   * @param end exactly the last bytes that {@link #endLength} wants
   * @param what names the slice in errors
   * @throws dev.lakestream.format.CorruptObjectException if these bytes are damaged
   */
  List<Range> wanted(ByteBuffer end, String what);

  /** As {@link SliceDeserializer#read}. */
  RecordIterator<OUT> read(SliceMetadata slice, Parts parts, long from);
}
