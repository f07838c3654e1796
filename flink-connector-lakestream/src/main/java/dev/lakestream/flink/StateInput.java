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
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Reads what {@link StateOutput} wrote, and refuses anything else before it believes a length. */
public final class StateInput {

  private static final int CRC_LENGTH = 4;

  private final String what;
  private final ByteBuffer in;

  /**
   * @param what names the state in errors, for instance {@code "Lakestream writer state"}
   * @param version of the bytes
   * @param supported the newest version that the caller reads
   * @throws IOException if the version is another or the bytes were cut or changed
   */
  public StateInput(String what, int version, int supported, byte[] bytes) throws IOException {
    this.what = what;
    if (version < 1 || version > supported) {
      throw new IOException(
          what
              + ": state version "
              + version
              + " not supported by this build, which reads versions 1 to "
              + supported
              + ". Restore it with a build as new as the one that wrote it.");
    }
    int length = bytes.length - CRC_LENGTH;
    if (length < 0
        || ByteBuffer.wrap(bytes, length, CRC_LENGTH).getInt() != Frame.crc32c(bytes, 0, length)) {
      throw new IOException(
          what + " of " + bytes.length + " bytes is truncated or corrupt: its checksum differs.");
    }
    this.in = ByteBuffer.wrap(bytes, 0, length).slice();
  }

  public int readInt() throws IOException {
    require(Integer.BYTES);
    return in.getInt();
  }

  public long readLong() throws IOException {
    require(Long.BYTES);
    return in.getLong();
  }

  public UUID readUuid() throws IOException {
    return new UUID(readLong(), readLong());
  }

  public byte[] readBytes() throws IOException {
    int length = readInt();
    require(length);
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  public String readString() throws IOException {
    return new String(readBytes(), StandardCharsets.UTF_8);
  }

  /**
   * The number of elements that follow.
   *
   * @param least how many bytes each of them takes at least
   */
  public int readCount(int least) throws IOException {
    int count = readInt();
    if (count < 0 || (long) count * least > in.remaining()) {
      throw new IOException(what + " states " + count + " elements and ends before them.");
    }
    return count;
  }

  /** Checks that nothing is left. */
  public void end() throws IOException {
    if (in.hasRemaining()) {
      throw new IOException(what + " goes on for " + in.remaining() + " bytes after its end.");
    }
  }

  private void require(int length) throws IOException {
    if (length < 0 || length > in.remaining()) {
      throw new IOException(
          what + " ends too early: " + length + " bytes expected, " + in.remaining() + " left.");
    }
  }
}
