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

import dev.lakestream.store.ObjectStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Byte ranges of one object, read by as few requests as are worth it: neighbours with little
 * between them are one request, which costs less than the time to its first byte.
 */
final class Ranges {

  /** So many bytes that nobody wants are read rather than a request more made. */
  static final int GAP = 64 << 10;

  private Ranges() {}

  /**
   * Bytes of the object.
   *
   * @param length 1 or more
   */
  record Range(long offset, long length) {
    long end() {
      return offset + length;
    }
  }

  /** Bytes of the object, as they were read. */
  record Read(long offset, ByteBuffer bytes) {
    long end() {
      return offset + bytes.remaining();
    }
  }

  /**
   * The requests that cover {@code wanted}: ascending, apart, each of {@code most} bytes at most
   * unless a single range is longer.
   */
  static List<Range> merged(List<Range> wanted, long most) {
    List<Range> sorted = new ArrayList<>(wanted);
    sorted.sort(Comparator.comparingLong(Range::offset));
    List<Range> merged = new ArrayList<>();
    for (Range range : sorted) {
      Range last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last != null
          && range.offset() - last.end() <= GAP
          && Math.max(last.end(), range.end()) - last.offset() <= most) {
        long end = Math.max(last.end(), range.end());
        merged.set(merged.size() - 1, new Range(last.offset(), end - last.offset()));
      } else {
        merged.add(range);
      }
    }
    return merged;
  }

  /** Reads all of {@code wanted} at once; none makes no request. */
  static CompletableFuture<List<Read>> read(
      ObjectStore store, String object, List<Range> wanted, long most) {
    List<CompletableFuture<Read>> reads = new ArrayList<>();
    for (Range range : merged(wanted, most)) {
      reads.add(
          store
              .read(object, range.offset(), Math.toIntExact(range.length()))
              .thenApply(bytes -> new Read(range.offset(), bytes)));
    }
    return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> reads.stream().map(CompletableFuture::join).toList());
  }

  /** A view of bytes that were read. */
  static ByteBuffer view(List<Read> reads, Range range) {
    for (Read read : reads) {
      if (range.offset() >= read.offset() && range.end() <= read.end()) {
        return read.bytes().slice((int) (range.offset() - read.offset()), (int) range.length());
      }
    }
    throw new IllegalStateException(range + " was not read.");
  }
}
