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
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Reading and writing through channels, and the threads that do it. */
final class FileIo {

  /** A call that moves more is a bulk transfer. */
  private static final int BRIEF_BYTES = 1 << 20;

  /**
   * Blocking calls of all file stores of the process. Bounded: more threads than this do not make a
   * disk faster. They end when idle, so that they pin no class loader.
   */
  private static final ExecutorService BULK = executor("lakestream-file-bulk");

  /**
   * Apart from the others: as many bundles as those have threads may be on their way to the disk,
   * and a manifest must not wait for each of them with each call of its publication.
   */
  private static final ExecutorService BRIEF = executor("lakestream-file");

  /**
   * Bytes of a call. They pass through a direct buffer, one of each thread: where a channel is
   * given heap buffers, the JDK makes direct ones of their sizes, and keeps them or not as sizes
   * vary. So small that they stay in the cache of a core from one copy to the next.
   */
  private static final int CHUNK = 128 << 10;

  private static final ThreadLocal<ByteBuffer> DIRECT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(CHUNK));

  private FileIo() {}

  /** What may fail with an {@link IOException}. */
  @FunctionalInterface
  interface Action<T> {
    T run() throws IOException;
  }

  /** For a call that moves so many bytes. */
  static Executor executor(long bytes) {
    return bytes > BRIEF_BYTES ? BULK : BRIEF;
  }

  private static ExecutorService executor(String name) {
    int threads = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.named(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Writes all bytes that remain in the buffers. */
  static void write(FileChannel channel, List<ByteBuffer> buffers) throws IOException {
    ByteBuffer chunk = DIRECT.get().clear();
    for (ByteBuffer buffer : buffers) {
      while (buffer.hasRemaining()) {
        int taken = Math.min(chunk.remaining(), buffer.remaining());
        chunk.put(buffer.slice(buffer.position(), taken));
        buffer.position(buffer.position() + taken);
        if (!chunk.hasRemaining()) {
          flush(channel, chunk);
        }
      }
    }
    flush(channel, chunk);
  }

  private static void flush(FileChannel channel, ByteBuffer chunk) throws IOException {
    chunk.flip();
    while (chunk.hasRemaining()) {
      channel.write(chunk);
    }
    chunk.clear();
  }

  /** Reads exactly {@code length} bytes. */
  static ByteBuffer read(FileChannel channel, long offset, int length, ReadObserver observer)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    ByteBuffer chunk = DIRECT.get();
    while (buffer.hasRemaining()) {
      chunk.clear().limit(Math.min(CHUNK, buffer.remaining()));
      if (channel.read(chunk, offset + buffer.position()) < 0) {
        throw new EOFException(
            "The file ended after " + buffer.position() + " of " + length + " bytes");
      }
      observer.received(chunk.flip().duplicate());
      buffer.put(chunk);
    }
    return buffer.flip();
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
