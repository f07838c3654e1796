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

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Reading and writing through channels, and the threads that do it. */
final class FileIo {

  /**
   * Blocking calls of all file stores of the process. Bounded: more threads than this do not make a
   * disk faster. They end when idle, so that they pin no class loader.
   */
  static final ExecutorService EXECUTOR = executor();

  /**
   * The JDK copies heap buffers into a direct buffer that it keeps per thread, as large as the
   * largest call: calls are cut to this many bytes.
   */
  private static final int CHUNK = 1 << 20;

  private FileIo() {}

  /** What may fail with an {@link IOException}. */
  @FunctionalInterface
  interface Action<T> {
    T run() throws IOException;
  }

  private static ExecutorService executor() {
    int threads = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named("lakestream-file"));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Writes all bytes, gathering from the buffers as they are. */
  static void write(FileChannel channel, List<ByteBuffer> buffers) throws IOException {
    List<ByteBuffer> chunk = new ArrayList<>();
    int size = 0;
    for (ByteBuffer buffer : buffers) {
      while (buffer.hasRemaining()) {
        int taken = Math.min(CHUNK - size, buffer.remaining());
        chunk.add(buffer.slice(buffer.position(), taken));
        buffer.position(buffer.position() + taken);
        size += taken;
        if (size == CHUNK) {
          flush(channel, chunk, size);
          size = 0;
        }
      }
    }
    flush(channel, chunk, size);
  }

  private static void flush(FileChannel channel, List<ByteBuffer> chunk, long size)
      throws IOException {
    ByteBuffer[] gathered = chunk.toArray(ByteBuffer[]::new);
    for (long left = size; left > 0; ) {
      left -= channel.write(gathered);
    }
    chunk.clear();
  }

  /** Reads exactly {@code length} bytes. */
  static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.position() < length) {
      buffer.limit(Math.min(length, buffer.position() + CHUNK));
      if (channel.read(buffer, offset + buffer.position()) < 0) {
        throw new EOFException(
            "The file ended after " + buffer.position() + " of " + length + " bytes");
      }
    }
    return buffer.limit(length).flip();
  }

  /** Makes the names in a directory durable. Windows does it by itself and refuses to be asked. */
  static void syncDirectory(Path directory) throws IOException {
    if (File.separatorChar == '/') {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }
}
