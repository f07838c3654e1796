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
package dev.lakestream.flink.sink;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.producer.BundleStager;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.flink.api.common.operators.MailboxExecutor;

/**
 * Exactly once: bundles are uploaded in the background and handed to the committer at the next
 * checkpoint.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Flink calls {@link #flush} right before each barrier, so that no bundle spans a checkpoint,
 *       and {@link #snapshotTaken} with its id before the next element. A bundle's name says after
 *       which checkpoint it was opened; reclamation takes it for garbage once a later one is
 *       published without it.
 *   <li>What was uploaded and not handed over, or handed over and never committed, is garbage by
 *       its name. Nothing is deleted here: after a failure the elements come again from the
 *       restored checkpoint and go into other objects.
 *   <li>A failed upload fails the next call, and with it the writer: a bundle is handed over when
 *       its object is in the store, never before.
 *   <li>The task's thread never waits for the store: its mailbox goes on meanwhile.
 * </ul>
 */
final class StagingOutlet implements Outlet {

  private final BundleStager stager;
  private final MailboxExecutor mailbox;

  /** How many steps were added before each checkpoint; the last one is still to come. */
  private final NavigableMap<Long, Long> steps = new ConcurrentSkipListMap<>();

  StagingOutlet(BundleStager stager, MailboxExecutor mailbox) {
    this.stager = stager;
    this.mailbox = mailbox;
  }

  @Override
  public void add(GlobalBatch batch, long reserved) throws InterruptedException {
    MailboxWait.untilDone(mailbox, () -> stager.tryAdd(batch, reserved));
    steps.merge(Long.MAX_VALUE, 1L, Long::sum);
  }

  @Override
  public List<StagedBundle> flush() throws InterruptedException {
    MailboxWait.untilDone(mailbox, stager::tryRoll);
    List<StagedBundle> bundles = new ArrayList<>();
    for (CompletableFuture<StagedBundle> upload : stager.takeStaged()) {
      bundles.add(MailboxWait.await(mailbox, upload));
    }
    return bundles;
  }

  @Override
  public void snapshotTaken(long checkpointId) {
    stager.checkpointComplete(checkpointId);
    Long added = steps.remove(Long.MAX_VALUE);
    if (added != null) {
      steps.put(checkpointId, added);
    }
  }

  @Override
  public long unpublishedSteps(long publishedSequence) {
    steps.headMap(publishedSequence, true).clear();
    return steps.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public long nextStep() {
    return 0; // Others publish what it has staged.
  }

  @Override
  public long sentBytes() {
    return stager.uploadedBytes();
  }

  @Override
  public long sendTimeMillis() {
    return stager.lastUploadNanos() / 1_000_000;
  }

  @Override
  public void close() {
    // What is uploaded and not committed is garbage by its name; nothing is deleted here.
  }
}
