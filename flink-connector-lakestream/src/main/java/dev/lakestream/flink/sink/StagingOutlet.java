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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.flink.api.common.operators.MailboxExecutor;

/**
 * Exactly once: bundles are uploaded in the background and handed to the committer at the next
 * checkpoint.
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
    Optional<CompletableFuture<StagedBundle>> blocking = stager.blockedBy(batch, reserved);
    while (blocking.isPresent()) {
      MailboxWait.await(mailbox, blocking.get());
      blocking = stager.blockedBy(batch, reserved);
    }
    stager.add(batch);
    steps.merge(Long.MAX_VALUE, 1L, Long::sum);
  }

  @Override
  public List<StagedBundle> flush() throws InterruptedException {
    List<StagedBundle> bundles = new ArrayList<>();
    for (CompletableFuture<StagedBundle> upload : stager.drain()) {
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
