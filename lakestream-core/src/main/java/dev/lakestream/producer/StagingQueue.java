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
package dev.lakestream.producer;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.store.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Between the thread that appends and the one that commits: what is staged, in order, and not yet
 * handed to a commit, and where the input stood then. Guarded by the producer's lock; nothing here
 * blocks.
 */
final class StagingQueue {

  /**
   * A bundle that was closed.
   *
   * @param position where the input stood at its end; null: somewhere before the next one's
   */
  record Staged(CompletableFuture<StagedBundle> bundle, ByteString position) {}

  private final BundleStager stager;
  private final Time time;
  private final long lingerNanos;
  private final Runnable uploadEnded;
  private final List<Staged> staged = new ArrayList<>();
  private long openSince;
  private ByteString position = ByteString.EMPTY;

  /**
   * @param linger after which a bundle that is not full is due
   * @param uploadEnded called from any thread when it may be worth while to try again
   */
  StagingQueue(BundleStager stager, Time time, Duration linger, Runnable uploadEnded) {
    this.stager = stager;
    this.time = time;
    this.lingerNanos = linger.toNanos();
    this.uploadEnded = uploadEnded;
  }

  /** See {@link BundleStager#tryAdd}; {@code after} is the position after the batch. */
  Optional<CompletableFuture<StagedBundle>> tryAdd(
      GlobalBatch batch, ByteString after, long reserved) {
    Optional<CompletableFuture<StagedBundle>> busy = stager.tryAdd(batch, reserved);
    if (busy.isPresent()) {
      enqueue(); // A bundle that had to make room ends before the batch.
      return busy;
    }
    boolean closed = stager.openSteps() == 0;
    if (!closed) {
      enqueue();
    }
    position = after;
    if (closed) {
      enqueue();
    } else if (stager.openSteps() == 1) {
      openSince = time.nanoTime();
    }
    return busy;
  }

  /** See {@link BundleStager#tryRoll}. */
  Optional<CompletableFuture<StagedBundle>> tryRoll() {
    Optional<CompletableFuture<StagedBundle>> busy = stager.tryRoll();
    enqueue();
    return busy;
  }

  private void enqueue() {
    List<CompletableFuture<StagedBundle>> bundles = stager.takeStaged();
    for (int i = 0; i < bundles.size(); i++) {
      CompletableFuture<StagedBundle> bundle =
          bundles.get(i).whenComplete((done, error) -> uploadEnded.run());
      staged.add(new Staged(bundle, i == bundles.size() - 1 ? position : null));
    }
  }

  /** Whether the open bundle is to be closed. */
  boolean isDue() {
    return stager.openSteps() > 0
        && (stager.isFull() || time.nanoTime() - openSince >= lingerNanos);
  }

  /** Until when the open bundle may stay open, in milliseconds from now at most; 0: for ever. */
  long patienceMillis() {
    return stager.openSteps() > 0 ? Math.max(1, lingerNanos / 1_000_000) : 0;
  }

  /**
   * Everything that was closed, which ends at a position; possibly nothing.
   *
   * @param sequence under which it will be published. What is opened from now on is not part of
   *     this publication: by its name it must outlive it, or reclamation could take it for garbage
   *     between the two.
   */
  List<Staged> take(long sequence) {
    List<Staged> taken = List.copyOf(staged);
    staged.clear();
    if (!taken.isEmpty()) {
      stager.checkpointComplete(sequence);
    }
    return taken;
  }

  void clear() {
    staged.clear();
  }
}
