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
import java.util.List;

/**
 * The content of an object to be written, as the buffers that already hold it, in order: nothing is
 * gathered into one array on the way to the store. A store reads {@link #buffers()} and never
 * changes their bytes; the caller does not either until the write has ended.
 */
public final class Payload {

  private final List<ByteBuffer> buffers;
  private final long length;

  private Payload(List<ByteBuffer> buffers) {
    this.buffers = List.copyOf(buffers);
    this.length = buffers.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  public static Payload of(List<ByteBuffer> buffers) {
    return new Payload(buffers);
  }

  public static Payload of(byte[] bytes) {
    return new Payload(List.of(ByteBuffer.wrap(bytes)));
  }

  /** In bytes; may pass 2 GiB. */
  public long length() {
    return length;
  }

  /** Read-only views with positions of their own, so that a retry starts at the beginning again. */
  public List<ByteBuffer> buffers() {
    return buffers.stream().map(ByteBuffer::asReadOnlyBuffer).toList();
  }
}
