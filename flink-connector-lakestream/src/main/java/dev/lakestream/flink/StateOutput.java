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
package dev.lakestream.flink;

import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Writes what Flink keeps for this connector: big-endian numbers, strings and arrays with a length
 * of 32 bits in front (never {@code writeUTF}, which ends at 64 KiB), and a CRC32C of all of it at
 * the end. {@link StateInput} reads it.
 */
public final class StateOutput {

  private final DataOutputSerializer out = new DataOutputSerializer(256);

  public StateOutput putInt(int value) {
    return write(() -> out.writeInt(value));
  }

  public StateOutput putLong(long value) {
    return write(() -> out.writeLong(value));
  }

  public StateOutput putUuid(UUID value) {
    return putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
  }

  public StateOutput putBytes(byte[] value) {
    putInt(value.length);
    return write(() -> out.write(value));
  }

  /** As UTF-8. */
  public StateOutput putString(String value) {
    return putBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** All that was put, with its checksum. */
  public byte[] toBytes() {
    ByteBuffer content = ByteBuffer.wrap(out.getSharedBuffer(), 0, out.length());
    putInt(Frame.crc32c(content.order(ByteOrder.LITTLE_ENDIAN)));
    return out.getCopyOfBuffer();
  }

  private interface Write {
    void run() throws java.io.IOException;
  }

  private StateOutput write(Write write) {
    try {
      write.run();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException("State larger than an array can be.", e);
    }
    return this;
  }
}
