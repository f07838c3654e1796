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
package dev.lakestream.format;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.UUID;

/** UUIDs as 16 bytes, most significant first. */
public final class Uuids {

  private Uuids() {}

  public static ByteString toBytes(UUID id) {
    ByteBuffer bytes = ByteBuffer.allocate(16);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).flip();
    return ByteString.copyFrom(bytes);
  }

  public static UUID fromBytes(ByteString bytes, String what) {
    if (bytes.size() != 16) {
      throw new CorruptObjectException(
          what + " should be a UUID of 16 bytes and has " + bytes.size() + " bytes.");
    }
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  /** 32 lower-case hex digits, as in object names. */
  public static String hex(UUID id) {
    return id.toString().replace("-", "");
  }

  /** The inverse of {@link #hex}. */
  public static UUID fromHex(String hex) {
    if (hex.length() != 32) {
      throw new IllegalArgumentException("Not 32 hex digits: " + hex);
    }
    return new UUID(
        Long.parseUnsignedLong(hex.substring(0, 16), 16),
        Long.parseUnsignedLong(hex.substring(16), 16));
  }
}
