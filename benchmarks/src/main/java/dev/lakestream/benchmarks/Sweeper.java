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
package dev.lakestream.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Deletes what has been written, soon after, by its file. A benchmark that writes for long then
 * needs little disk, and its page cache stays in memory that it has used before: on a virtual
 * machine, memory that must be asked of the host costs several times as much for each byte written,
 * and who begins later would find more of it already there.
 */
final class Sweeper implements AutoCloseable {

  private static final Duration AFTER = Duration.ofMillis(500);

  private final Path room;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final CompletableFuture<Void> failure = new CompletableFuture<>();

  /**
   * @param room the directory that holds the stream's objects under their keys
   */
  Sweeper(Path room) {
    this.room = room;
  }

  /** The object has been written, and nobody will read it. */
  void sweep(String key) {
    var unused = thread.schedule(() -> delete(key), AFTER.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void delete(String key) {
    try {
      Files.delete(room.resolve(key));
    } catch (IOException e) {
      failure.completeExceptionally(e);
    }
  }

  /** Fails if a file could not be deleted: the two sides would not be alike. */
  @Override
  public void close() throws InterruptedException {
    thread.shutdown();
    thread.awaitTermination(1, TimeUnit.MINUTES);
    failure.getNow(null);
  }
}
