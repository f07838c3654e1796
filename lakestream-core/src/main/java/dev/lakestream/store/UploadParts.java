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
package dev.lakestream.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** An object cut into the parts in which {@link S3Upload} sends it; nothing is copied. */
final class UploadParts {

  /** S3's limit. */
  static final int MOST = 10_000;

  private final Payload content;
  private final long size;
  private final int count;

  /**
   * @param size of a part; longer ones are made where these would be too many
   */
  UploadParts(Payload content, long size) {
    this.content = content;
    this.size = size(content.length(), size);
    this.count = count(content.length(), this.size);
  }

  static long size(long length, long wanted) {
    return Math.max(wanted, ceilDiv(length, MOST));
  }

  /** At least one: an upload without a part cannot be completed. */
  static int count(long length, long size) {
    return (int) Math.max(1, ceilDiv(length, size));
  }

  int count() {
    return count;
  }

  /** The bytes of a part, the first of which is 0, as the buffers that hold them. */
  List<ByteBuffer> bytes(int part) {
    long from = part * size;
    long to = Math.min(content.length(), from + size);
    List<ByteBuffer> slices = new ArrayList<>();
    long start = 0;
    for (ByteBuffer buffer : content.buffers()) {
      long end = start + buffer.remaining();
      if (end > from && start < to) {
        int first = (int) (Math.max(from, start) - start);
        int last = (int) (Math.min(to, end) - start);
        slices.add(buffer.slice(buffer.position() + first, last - first));
      }
      start = end;
    }
    return slices;
  }

  private static long ceilDiv(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }
}
