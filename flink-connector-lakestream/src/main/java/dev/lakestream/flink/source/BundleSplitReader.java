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
package dev.lakestream.flink.source;

import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.BundleScan;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Slice;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.Redaction;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads splits one after another, in the order in which they came, and fetches ahead across them as
 * far as memory goes.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A bundle never changes. Bytes that are damaged are fetched once more, as the fault may lie
 *       on the way; then the job fails.
 *   <li>A bundle that is gone was reclaimed if its steps are below the trim: {@link
 *       PositionReclaimedException}, or the split is left out where that is wanted. If the newest
 *       manifest shows another object for its steps, records were taken out of them: the split goes
 *       on in that one, and a slice that was read in part is read again. Otherwise the store's own
 *       failure ends the job.
 *   <li>Requests are repeated by the store, not here.
 * </ul>
 */
final class BundleSplitReader<OUT> implements SplitReader<Emitted<OUT>, BundleSplit> {

  private static final Logger LOG = LoggerFactory.getLogger(BundleSplitReader.class);

  /** A batch is full when its slices, decompressed, have so many bytes. */
  private static final long BATCH_BYTES = 4 << 20;

  /** So that batches of many tiny slices end too. */
  private static final long SLICE_OVERHEAD = 1024;

  private static final int CACHED_BUNDLES = 64;

  private final TrainingStream stream;
  private final SliceDeserializer<OUT> deserializer;
  private final PartialFetch partial;
  private final ReaderMetrics metrics;
  private final boolean skipsReclaimed;
  private final long mostBytes;
  private final long requestBytes;
  private final Signal signal = new Signal();
  private final FetchBudget budget;
  private final Deque<SplitFetch> fetches = new ArrayDeque<>();
  private final Set<String> paused = new HashSet<>();
  private volatile boolean woken;

  /** Of the part that is being read: the slice where the next batch begins. */
  private int tgb = -1;

  private int rankIndex;
  private boolean repeated;

  /** Splits of one bundle share what is known of it. */
  private final Map<String, BundleScan> bundles =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BundleScan> eldest) {
          return size() > CACHED_BUNDLES;
        }
      };

  BundleSplitReader(
      TrainingStream stream,
      SourceConfig config,
      SliceDeserializer<OUT> deserializer,
      ReaderMetrics metrics) {
    this.stream = stream;
    this.deserializer = deserializer;
    this.partial =
        deserializer.projection() == null ? null : new PartialFetch(deserializer.projection());
    this.metrics = metrics;
    this.skipsReclaimed = config.skipsReclaimed();
    long memory = config.get(LakestreamSourceOptions.FETCH_MEMORY).getBytes();
    this.mostBytes = Math.max(1, Math.min(memory / 2, Integer.MAX_VALUE / 2));
    this.requestBytes = config.get(LakestreamSourceOptions.FETCH_SIZE).getBytes();
    this.budget = new FetchBudget(memory, signal);
  }

  @Override
  public void handleSplitsChanges(SplitsChange<BundleSplit> change) {
    if (!(change instanceof SplitsAddition)) {
      throw new UnsupportedOperationException("Splits are added only, not " + change + ".");
    }
    change.splits().forEach(split -> fetches.add(fetch(split)));
  }

  private SplitFetch fetch(BundleSplit split) {
    BundleDescriptor bundle = split.bundle();
    BundleScan scan =
        bundles.computeIfAbsent(
            bundle.bundle().object(),
            object ->
                new BundleScan(
                    stream.store(), BundleReader.of(stream.store(), stream.id(), bundle.bundle())));
    SplitFetch fetch =
        new SplitFetch(split, scan, mostBytes, requestBytes, deserializer.needs(), partial);
    signalWhenDone(fetch.awaited());
    return fetch;
  }

  private void signalWhenDone(java.util.concurrent.CompletableFuture<?> future) {
    if (future != null) {
      var unused = future.whenComplete((done, failure) -> signal.give());
    }
  }

  @Override
  public RecordsWithSplitIds<Emitted<OUT>> fetch() {
    while (true) {
      if (woken) {
        woken = false;
        return SliceBatch.empty();
      }
      SplitFetch head = fetches.peek();
      try {
        startFetches();
        if (head != null && !paused.contains(head.split().splitId()) && isReady(head)) {
          return batch(head);
        }
      } catch (RuntimeException e) {
        SliceBatch<OUT> left = recovered(head, e);
        if (left != null) {
          return left;
        }
        continue;
      }
      await();
    }
  }

  private void await() {
    try {
      signal.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      woken = true;
    }
  }

  /** Fetches ahead, in reading order, until a split is not planned yet or memory is used up. */
  private void startFetches() {
    for (SplitFetch fetch : fetches) {
      if (fetch != fetches.peek() && fetch.hasFailed()) {
        return; // Its failure is met when its turn comes.
      }
      while (fetch.next() != null) {
        if (!budget.take(fetch.next().bytes())) {
          return;
        }
        signalWhenDone(fetch.start().content());
      }
      if (fetch.current() == null) {
        return;
      }
    }
  }

  private static boolean isReady(SplitFetch fetch) {
    return fetch.current() != null && fetch.current().content().isDone();
  }

  /** The next slices of the part that is here. */
  private SliceBatch<OUT> batch(SplitFetch fetch) {
    SplitFetch.Fetched fetched = fetch.current();
    FetchPlan.Part part = fetched.part();
    SplitFetch.SliceSource content = Futures.await(fetched.content());
    int[] ranks = part.ranks().toArray();
    // Committed at the end: a damaged slice leaves the position at the beginning of its batch.
    int atTgb = tgb < 0 ? part.fromTgb() : tgb;
    int atRank = tgb < 0 ? 0 : rankIndex;
    List<SliceBatch.DecodedSlice> slices = new ArrayList<>();
    long bytes = 0;
    while (atTgb < part.toTgb() && bytes < BATCH_BYTES) {
      int rank = ranks[atRank];
      SlicePosition next = fetch.split().next();
      if (atTgb > next.tgb() || rank >= next.rank()) {
        Slice slice = content.slice(atRank, atTgb);
        long from = atTgb == next.tgb() && rank == next.rank() ? next.record() : 0;
        SliceMetadata metadata =
            metadata(fetch.split().bundle(), content.index(), slice, atTgb, rank);
        SliceProjection.Parts parts = content.parts(atRank, atTgb);
        slices.add(
            new SliceBatch.DecodedSlice(
                metadata, slice.bytes().asReadOnlyBuffer(), parts, atTgb, rank, from));
        bytes += parts == null ? slice.bytes().remaining() : parts.bytes();
        bytes += SLICE_OVERHEAD;
      }
      atRank++;
      if (atRank == ranks.length) {
        atRank = 0;
        atTgb++;
      }
    }
    tgb = atTgb;
    rankIndex = atRank;
    repeated = false;
    boolean partDone = tgb == part.toTgb();
    boolean splitDone = partDone && fetch.finishCurrent();
    if (partDone) {
      tgb = -1;
      metrics.fetched(content.bytes(part.bytes()));
    }
    if (splitDone) {
      fetches.remove(fetch);
      paused.remove(fetch.split().splitId());
    }
    if (!slices.isEmpty()) {
      metrics.fetchedEventTime(slices.get(slices.size() - 1).metadata().timestamp());
    }
    return new SliceBatch<>(
        fetch.split().splitId(),
        slices,
        splitDone,
        deserializer,
        metrics.errors(),
        partDone ? () -> budget.release(part.bytes()) : () -> {});
  }

  private static SliceMetadata metadata(
      BundleDescriptor bundle, BundleIndex index, Slice slice, int tgb, int rank) {
    BundleIndex.Tgb info = index.tgbs().get(tgb);
    EventTimeRange time = info.eventTime();
    int cp = bundle.bundle().mesh().cp();
    return new SliceMetadata(
        bundle.firstStep() + tgb,
        rank / cp,
        rank % cp,
        bundle.bundle().mesh().dp(),
        cp,
        slice.records(),
        bundle.version(),
        bundle.publishedAt(),
        bundle.producerId(),
        bundle.sequence(),
        bundle.bundle().object(),
        time == null ? null : time.min(),
        time == null ? null : time.max(),
        bundle.redactions(bundle.firstStep() + tgb).stream().mapToLong(Redaction::records).sum(),
        info.attributes());
  }

  /**
   * What to do about a failure at the head.
   *
   * @return null: try again; otherwise a batch that ends the split
   */
  private SliceBatch<OUT> recovered(SplitFetch head, RuntimeException failure) {
    if (head == null) {
      throw failure;
    }
    if (failure instanceof CorruptObjectException && !repeated) {
      LOG.warn("{} of {} is damaged and will be fetched once more", head.split(), stream, failure);
      repeated = true;
      SlicePosition reached = position(head);
      abandon(head);
      bundles.remove(head.split().bundle().bundle().object());
      fetches.addFirst(fetch(head.split().at(reached)));
      return null;
    }
    if (!StoreException.is(failure, Fault.MISSING)) {
      throw failure;
    }
    long step = head.split().nextStep();
    Manifest newest = stream.log().newest();
    long held = newest.firstStep();
    if (step >= held) {
      goOnInRewrittenBundle(head, newest, failure);
      return null;
    }
    if (!skipsReclaimed) {
      throw SourceFailures.forGood(new PositionReclaimedException(stream.toString(), step, held));
    }
    LOG.warn(
        "{} of {} has been reclaimed and is left out ('scan.on-reclaimed' = 'earliest')",
        head.split(),
        stream);
    abandon(head);
    return new SliceBatch<>(
        head.split().splitId(), List.of(), true, deserializer, metrics.errors(), () -> {});
  }

  private void goOnInRewrittenBundle(SplitFetch head, Manifest newest, RuntimeException failure) {
    BundleSplit split = head.split();
    BundleDescriptor now = stream.history(newest).bundleOf(split.nextStep()).orElse(split.bundle());
    if (now.equals(split.bundle()) || !now.mayFollow(split.bundle())) {
      throw failure;
    }
    SlicePosition reached = position(head);
    if (reached.record() > 0) {
      LOG.warn(
          "Records were taken out of {} of {} while it was being read: slice {} of its step {} is"
              + " read again from its beginning",
          split,
          stream,
          reached.rank(),
          reached.tgb());
      reached = new SlicePosition(reached.tgb(), reached.rank(), 0);
    }
    abandon(head);
    fetches.addFirst(fetch(new BundleSplit(now, split.ranks(), split.toTgb(), reached)));
  }

  private SlicePosition position(SplitFetch head) {
    if (tgb < 0) {
      return head.current() == null ? head.split().next() : beginOf(head, head.current().part());
    }
    int rank = head.current().part().ranks().toArray()[rankIndex];
    SlicePosition next = head.split().next();
    return tgb == next.tgb() && rank <= next.rank() ? next : new SlicePosition(tgb, rank, 0);
  }

  private static SlicePosition beginOf(SplitFetch head, FetchPlan.Part part) {
    SlicePosition next = head.split().next();
    int first = part.ranks().first();
    return part.fromTgb() == next.tgb() && first <= next.rank()
        ? next
        : new SlicePosition(part.fromTgb(), first, 0);
  }

  private void abandon(SplitFetch head) {
    fetches.remove(head);
    head.abandon().forEach(fetched -> budget.release(fetched.part().bytes()));
    tgb = -1;
  }

  /** What comes after a paused split waits with it: splits are read in order. */
  @Override
  public void pauseOrResumeSplits(
      Collection<BundleSplit> toPause, Collection<BundleSplit> toResume) {
    toPause.forEach(split -> paused.add(split.splitId()));
    toResume.forEach(split -> paused.remove(split.splitId()));
  }

  @Override
  public void wakeUp() {
    woken = true;
    signal.give();
  }

  @Override
  public void close() {
    // The store belongs to the source reader, which closes it.
  }
}
