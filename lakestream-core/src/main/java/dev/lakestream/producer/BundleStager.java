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

import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fills bundles and uploads them in the background, in bounded memory.
 *
 * <p>Assumptions: an object that was uploaded and never published is garbage that its name lets
 * reclamation recognise, so nothing is deleted here, whatever fails. A failed upload fails the next
 * call, and with it the caller, who starts again from its last state.
 *
 * <p>Used by one thread at a time, and never blocks it: what it cannot do now it answers with the
 * upload to wait for. How to wait is for the caller to decide, who may hold a lock, or have a
 * mailbox to look after.
 */
public final class BundleStager {

  private final TrainingStream stream;
  private final StagingSettings settings;
  private final UUID owner;
  private final int subtask;
  private final BundleBuilder open;
  private final Deque<Upload> running = new ArrayDeque<>();
  private final AtomicLong uploadedBytes = new AtomicLong();
  private volatile long lastUploadNanos;
  private List<CompletableFuture<StagedBundle>> staged = new ArrayList<>();
  private long runningBytes;
  private long afterCheckpoint;

  private record Upload(CompletableFuture<StagedBundle> result, long bytes) {}

  /**
   * @param owner the submission, and {@code subtask} which of its writers: both go into the names
   *     of the bundles
   * @param afterCheckpoint the newest complete checkpoint
   */
  public BundleStager(
      TrainingStream stream,
      StagingSettings settings,
      UUID owner,
      int subtask,
      long afterCheckpoint) {
    this.stream = stream;
    this.settings = settings;
    this.owner = owner;
    this.subtask = subtask;
    this.afterCheckpoint = afterCheckpoint;
    this.open = new BundleBuilder(stream.id(), stream.info().sliceFormat(), settings.compression());
  }

  /**
   * Adds a batch as the next step, if there is room for it; its buffers must not change until it is
   * staged.
   *
   * @param reserved bytes that the caller itself holds and that count against the memory as well
   * @return the upload to wait for before the batch is offered again; empty: it was added
   */
  public Optional<CompletableFuture<StagedBundle>> tryAdd(GlobalBatch batch, long reserved) {
    reap();
    boolean fits = open.bytes() + batch.bytes() + reserved <= settings.bufferBytes();
    if (isFull() || !fits || !open.accepts(batch)) {
      Optional<CompletableFuture<StagedBundle>> busy = tryRoll();
      if (busy.isPresent()) {
        return busy;
      }
    }
    // What nothing can make room for is taken as it is: a batch that exceeds the memory alone.
    if (!running.isEmpty() && heldBytes() + batch.bytes() + reserved > settings.bufferBytes()) {
      return Optional.of(running.peek().result());
    }
    open.add(batch);
    if (isFull()) {
      tryRoll(); // or the next call does, when an upload has ended
    }
    return Optional.empty();
  }

  /**
   * Closes the open bundle, if it holds anything, and begins its upload.
   *
   * @return the upload to wait for before it is tried again; empty: nothing is open any more
   */
  public Optional<CompletableFuture<StagedBundle>> tryRoll() {
    reap();
    if (open.isEmpty()) {
      return Optional.empty();
    }
    if (running.size() >= settings.uploads()) {
      return Optional.of(running.peek().result());
    }
    long bytes = open.bytes();
    long began = stream.time().nanoTime();
    BundleBuilder.Bundle bundle =
        open.build(BundleName.create(owner, afterCheckpoint, subtask).object(), Map.of());
    CompletableFuture<StagedBundle> result =
        stream
            .store()
            .put(bundle.staged().object(), bundle.payload())
            .thenApply(
                done -> {
                  uploadedBytes.addAndGet(bundle.staged().objectLength());
                  lastUploadNanos = stream.time().nanoTime() - began;
                  return bundle.staged();
                });
    running.add(new Upload(result, bytes));
    runningBytes += bytes;
    staged.add(result);
    return Optional.empty();
  }

  /**
   * Hands over all bundles that were closed since the last call, in the order of their steps; each
   * future completes when its object is in the store.
   */
  public List<CompletableFuture<StagedBundle>> takeStaged() {
    List<CompletableFuture<StagedBundle>> taken = staged;
    staged = new ArrayList<>();
    return taken;
  }

  /** Bundles opened from now on come after this checkpoint. */
  public void checkpointComplete(long checkpoint) {
    afterCheckpoint = Math.max(afterCheckpoint, checkpoint);
  }

  /** In memory now, open bundle and uploads together. */
  public long heldBytes() {
    return open.bytes() + runningBytes;
  }

  /** Whether the open bundle only waits for an upload to end, and for another call. */
  public boolean isFull() {
    return open.tgbs() >= settings.maxSteps() || open.bytes() >= settings.targetBytes();
  }

  /** Steps in the open bundle. */
  public int openSteps() {
    return open.tgbs();
  }

  /** Of bundles whose upload has ended. */
  public long uploadedBytes() {
    return uploadedBytes.get();
  }

  /** How long the last upload that ended took; 0: none yet. */
  public long lastUploadNanos() {
    return lastUploadNanos;
  }

  private void reap() {
    while (!running.isEmpty() && running.peek().result.isDone()) {
      Upload oldest = running.remove();
      runningBytes -= oldest.bytes;
      Futures.await(oldest.result);
    }
  }
}
