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

import dev.lakestream.format.CorruptObjectException;

/**
 * How the bytes of one slice are stored. Each slice is compressed on its own, so that it stays
 * readable alone.
 */
public enum Compression {
  /** As they are: no copy on the way in or out. */
  NONE(0),
  /** Zstandard, one frame. Best ratio; costs a core at a few hundred MB/s. */
  ZSTD(1),
  /** LZ4, one block. Little ratio, cheap to undo. */
  LZ4(2);

  private final int code;

  Compression(int code) {
    this.code = code;
  }

  /** In the slice table. */
  int code() {
    return code;
  }

  /** The inverse of {@link #code}. */
  static Compression ofCode(int code, String what) {
    for (Compression compression : values()) {
      if (compression.code == code) {
        return compression;
      }
    }
    throw new CorruptObjectException(
        what + " states compression " + code + ", which format version 1 does not have.");
  }
}
