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
package dev.lakestream.flink.table;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A row as the payload of a sample, in memory and in a writer's state: {@code [i32 slice, -1: the
 * next one][u32 fingerprint][content]}, little-endian. The fingerprint is that of the schema that
 * the content is in.
 */
final class RowPayload {

  static final int HEADER_LENGTH = 8;
  static final int NEXT_SLICE = -1;

  private RowPayload() {}

  static ByteBuffer of(int slice, int fingerprint, byte[] content, int length) {
    return ByteBuffer.allocate(HEADER_LENGTH + length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(slice)
        .putInt(fingerprint)
        .put(content, 0, length)
        .flip();
  }

  static int slice(ByteBuffer payload) {
    return payload.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(0);
  }

  static int fingerprint(ByteBuffer payload) {
    return payload.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(4);
  }

  static ByteBuffer content(ByteBuffer payload) {
    return payload.slice(HEADER_LENGTH, payload.remaining() - HEADER_LENGTH);
  }
}
