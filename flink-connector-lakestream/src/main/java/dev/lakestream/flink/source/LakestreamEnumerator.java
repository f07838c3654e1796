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

import dev.lakestream.flink.RequestMetrics;
import dev.lakestream.flink.StreamTarget;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SupportsHandleExecutionAttemptSourceEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the stream into splits and hands them to readers that ask.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>It keeps a position and a bounded window of splits without a reader; what is behind the
 *       position and not in the window is with a reader. Looks are accepted by compare-and-swap on
 *       the position: of two that began at one place the second is dropped.
 *   <li>Where a job starts is settled before {@link #start} returns, so that the first checkpoint
 *       already holds it.
 *   <li>On recovery each reader reports the splits of its checkpoint, all of which are handed out
 *       anew: a job may come back with another parallelism, and owners differ then. A reader that
 *       fails again before the next checkpoint reports the same splits again; by then they are with
 *       readers (and come back through {@link #addSplitsBack} where their reader failed), so that
 *       the second report is ignored until a checkpoint is complete.
 *   <li>Where order matters, nothing is handed out after a recovery before all readers have
 *       reported: an older split of a slice might be among what is to come.
 *   <li>A look that fails on what can pass is repeated at the next interval, a bounded number of
 *       times in a row; then, and on any other failure, the job fails.
 * </ul>
 */
final class LakestreamEnumerator
    implements SplitEnumerator<BundleSplit, EnumeratorState>,
        SupportsHandleExecutionAttemptSourceEvent {

  private static final Logger LOG = LoggerFactory.getLogger(LakestreamEnumerator.class);

  private final SplitEnumeratorContext<BundleSplit> context;
  private final SourceConfig config;
  private final Optional<EnumeratorState> restored;

  private StreamTarget.Connection connection;
  private Discovery discovery;
  private GroupRecorder group;
  private SplitQueue queue;
  private SliceOwners owners;
  private IdleReaders idle;

  /** Read by looks on their own thread; written by this one. */
  private final AtomicReference<StreamPosition> position = new AtomicReference<>();

  private volatile OptionalLong end = OptionalLong.empty();
  private volatile int room;
  private volatile long pending;
  private volatile long lag;

  private boolean lookingAhead;
  private int failedLooks;

  /** In the order in which they asked. */
  private final Set<Integer> waiting = new LinkedHashSet<>();

  private final AssignedSplits assigned = new AssignedSplits();

  /** Readers whose checkpointed splits have been taken over since the last checkpoint. */
  private final Set<Integer> reported = new HashSet<>();

  private boolean allReported;

  /**
   * Failed or closed. The coordinator goes on calling an enumerator that has failed until the job's
   * failover reaches it, and each further failure would count as one more; a hybrid source closes
   * it and goes on with the next one, while its looks stay scheduled.
   */
  private volatile boolean over;

  LakestreamEnumerator(
      SplitEnumeratorContext<BundleSplit> context,
      SourceConfig config,
      Optional<EnumeratorState> restored) {
    this.context = context;
    this.config = config;
    this.restored = restored;
    this.allReported = restored.isEmpty();
  }

  @Override
  public void start() {
    try {
      open();
    } catch (RuntimeException e) {
      throw failed(SourceFailures.forGood(e));
    }
    context.callAsync(
        this::look,
        this::found,
        0,
        config.get(LakestreamSourceOptions.DISCOVERY_INTERVAL).toMillis());
  }

  private RuntimeException failed(RuntimeException failure) {
    over = true;
    return failure;
  }

  private void open() {
    connection = config.target().connect(RequestMetrics.register(context.metricGroup()));
    discovery = new Discovery(connection.stream(), config);
    owners = new SliceOwners(config.order(), connection.stream().info().defaultMesh());
    idle =
        new IdleReaders(context, owners, config.ranksOf(connection.stream().info().defaultMesh()));
    queue = new SplitQueue(owners, config.get(LakestreamSourceOptions.SPLIT_SIZE).getBytes());
    if (restored.isPresent()) {
      restore(restored.get());
    } else {
      position.set(discovery.start());
      end = discovery.endFrom(position.get());
    }
    warnOfNothingToRead();
    group = GroupRecorder.open(connection.stream(), config, context);
    if (restored.isEmpty()) {
      group.start(position.get());
    }
    EnumeratorMetrics.register(context.metricGroup(), () -> lag, () -> pending);
    measure();
  }

  private void restore(EnumeratorState state) {
    position.set(discovery.restored(state.position()));
    boolean sameBound = state.bound().equals(config.bound());
    end = sameBound && state.end().isPresent() ? state.end() : discovery.end();
    takeOver(state.pending());
  }

  private void warnOfNothingToRead() {
    long start = position.get().nextStep();
    if (restored.isEmpty() && end.isPresent() && start > end.getAsLong()) {
      LOG.warn(
          "The source of {} starts at step {} and ends before step {}: it reads nothing",
          connection.stream(),
          start,
          end.getAsLong());
    }
  }

  // Discovery. look() runs on a thread of its own; everything else on the coordinator's.

  private Discovery.Found look() {
    return over ? null : discovery.next(position.get(), end, room);
  }

  private void found(Discovery.Found found, Throwable failure) {
    if (over) {
      return;
    }
    if (failure != null) {
      lookFailed(failure);
      return;
    }
    failedLooks = 0;
    if (!position.compareAndSet(found.from(), found.to())) {
      LOG.debug("A look from {} came too late", found.from());
      return;
    }
    end = end.isPresent() ? end : found.end();
    queue.addAll(found.splits(config));
    assign();
    tellWhoHasNothing();
  }

  private void tellWhoHasNothing() {
    if (!config.bound().bounded() && allReported && caughtUp()) {
      idle.tell(waiting);
    }
  }

  private void lookFailed(Throwable failure) {
    failedLooks++;
    int retries = config.get(LakestreamSourceOptions.DISCOVERY_RETRIES);
    if (!SourceFailures.canPass(failure) || failedLooks > retries) {
      throw failed(
          SourceFailures.ofDiscovery(connection.stream(), position.get(), failure, failedLooks));
    }
    LOG.warn(
        "Look {} of at most {} for new steps of {} failed; the next one follows",
        failedLooks,
        retries + 1,
        connection.stream(),
        failure);
  }

  private void measure() {
    pending = queue.size();
    room = (int) Math.max(0, config.get(LakestreamSourceOptions.PENDING_BUNDLES) - pending);
    lag = Math.max(0, discovery.head() - oldestStep());
  }

  /** Does not wait for the interval while it is known that there is more. */
  private void lookAhead() {
    int window = config.get(LakestreamSourceOptions.PENDING_BUNDLES);
    if (!lookingAhead && !caughtUp() && room * 2 >= window) {
      lookingAhead = true;
      context.callAsync(
          this::look,
          (found, failure) -> {
            lookingAhead = false;
            found(found, failure);
          });
    }
  }

  /** Whether everything that is to be read, and is known to be there, has been discovered. */
  private boolean caughtUp() {
    long target = Math.min(discovery.head(), end.orElse(Long.MAX_VALUE));
    return position.get().nextStep() >= target;
  }

  private boolean allDiscovered() {
    return end.isPresent() && position.get().nextStep() >= end.getAsLong();
  }

  // Assignment.

  @Override
  public void handleSplitRequest(int subtask, String host) {
    if (!over) {
      waiting.add(subtask);
      assign();
    }
  }

  private void assign() {
    if (mayAssign()) {
      int parallelism = context.currentParallelism();
      for (int subtask : List.copyOf(waiting)) {
        answer(subtask, parallelism);
      }
    }
    measure();
    lookAhead();
  }

  private boolean mayAssign() {
    return allReported || owners.free();
  }

  private void answer(int subtask, int parallelism) {
    if (!context.registeredReaders().containsKey(subtask)) {
      waiting.remove(subtask);
      return;
    }
    Optional<BundleSplit> split = queue.poll(subtask, parallelism);
    if (split.isPresent()) {
      waiting.remove(subtask);
      idle.forget(subtask);
      assigned.add(subtask, split.get());
      context.assignSplit(split.get(), subtask);
    } else if (allDiscovered() && allReported) {
      waiting.remove(subtask);
      context.signalNoMoreSplits(subtask);
    }
  }

  @Override
  public void addReader(int subtask) {
    if (over) {
      return;
    }
    ReaderInfo reader = context.registeredReaders().get(subtask);
    assigned.forget(subtask);
    idle.forget(subtask);
    if (reader != null && reported.add(subtask)) {
      takeOver(reader.getReportedSplitsOnRegistration());
    }
    allReported |= context.registeredReaders().size() >= context.currentParallelism();
    assign();
  }

  @Override
  public void addSplitsBack(List<BundleSplit> splits, int subtask) {
    if (over) {
      return;
    }
    waiting.remove(subtask);
    assigned.forget(subtask);
    takeOver(splits);
    assign();
  }

  /** Leaves out what has been reclaimed, if that is allowed, and what the end now excludes. */
  private void takeOver(Collection<BundleSplit> splits) {
    try {
      long stop = end.orElse(Long.MAX_VALUE);
      queue.addAll(
          splits.stream()
              .map(discovery::held)
              .flatMap(Optional::stream)
              .map(split -> split.beforeStep(stop))
              .flatMap(Optional::stream)
              .toList());
    } catch (PositionReclaimedException e) {
      throw failed(SourceFailures.forGood(e));
    }
  }

  @Override
  public void handleSourceEvent(int subtask, SourceEvent event) {
    if (event instanceof SplitsFinishedEvent finished) {
      assigned.finished(subtask, finished.splitIds());
    }
  }

  @Override
  public void handleSourceEvent(int subtask, int attempt, SourceEvent event) {
    handleSourceEvent(subtask, event);
  }

  // State.

  @Override
  public EnumeratorState snapshotState(long checkpointId) {
    if (over) {
      throw new IllegalStateException("The enumerator has failed: it has no state to keep.");
    }
    if (allReported) {
      group.snapshot(checkpointId, oldestStep(), position.get());
    }
    return new EnumeratorState(position.get(), config.bound(), end, queue.toList());
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    if (!over) {
      reported.clear();
      group.complete(checkpointId, context, taken -> failed(SourceFailures.forGood(taken)));
    }
  }

  /** The first step of which anything may still have to be emitted. */
  private long oldestStep() {
    long oldest = assigned.oldestStep(position.get().nextStep());
    for (BundleSplit split : queue.toList()) {
      oldest = Math.min(oldest, split.nextStep());
    }
    return oldest;
  }

  @Override
  public void close() {
    over = true;
    if (connection != null) {
      connection.close();
    }
  }
}
