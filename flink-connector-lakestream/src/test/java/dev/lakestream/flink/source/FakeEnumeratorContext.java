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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A coordinator that does what is asked of it only when the test says so. */
final class FakeEnumeratorContext implements SplitEnumeratorContext<BundleSplit> {

  private final int parallelism;
  private final Map<Integer, ReaderInfo> readers = new HashMap<>();
  private final Map<Integer, List<BundleSplit>> assigned = new HashMap<>();
  private final Deque<Runnable> once = new ArrayDeque<>();
  private final List<Runnable> periodic = new ArrayList<>();
  final TreeSet<Integer> noMoreSplits = new TreeSet<>();
  final List<Integer> toldNothing = new ArrayList<>();

  FakeEnumeratorContext(int parallelism) {
    this.parallelism = parallelism;
  }

  /** One tick of every timer, and then everything that was asked for. */
  void tick() {
    periodic.forEach(Runnable::run);
    settle();
  }

  /** Everything that was asked for, and what that asks for. */
  void settle() {
    while (!once.isEmpty()) {
      once.remove().run();
    }
  }

  /** Only the oldest thing that was asked for. */
  void runOne() {
    once.remove().run();
  }

  int asked() {
    return once.size();
  }

  void register(int subtask, List<BundleSplit> reported) {
    readers.put(subtask, ReaderInfo.createReaderInfo(subtask, "here", reported));
  }

  void unregister(int subtask) {
    readers.remove(subtask);
    noMoreSplits.remove(subtask);
  }

  /** What the reader has been given since it was asked last. */
  List<BundleSplit> taken(int subtask) {
    List<BundleSplit> taken = assigned.remove(subtask);
    return taken == null ? List.of() : taken;
  }

  @Override
  public SplitEnumeratorMetricGroup metricGroup() {
    return UnregisteredMetricsGroup.createSplitEnumeratorMetricGroup();
  }

  @Override
  public void sendEventToSourceReader(int subtask, SourceEvent event) {
    if (event instanceof NothingToReadEvent) {
      toldNothing.add(subtask);
    }
  }

  @Override
  public int currentParallelism() {
    return parallelism;
  }

  @Override
  public Map<Integer, ReaderInfo> registeredReaders() {
    return readers;
  }

  @Override
  public void assignSplits(SplitsAssignment<BundleSplit> assignment) {
    assignment
        .assignment()
        .forEach(
            (subtask, splits) ->
                assigned.computeIfAbsent(subtask, unused -> new ArrayList<>()).addAll(splits));
  }

  @Override
  public void signalNoMoreSplits(int subtask) {
    noMoreSplits.add(subtask);
  }

  @Override
  public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
    once.add(() -> call(callable, handler));
  }

  @Override
  public <T> void callAsync(
      Callable<T> callable, BiConsumer<T, Throwable> handler, long initialDelay, long period) {
    periodic.add(() -> call(callable, handler));
  }

  /** Starts the timers' work without its end, which the returned runnable is. */
  List<Runnable> beginTick() {
    List<Runnable> ends = new ArrayList<>();
    beginning = ends;
    periodic.forEach(Runnable::run);
    beginning = null;
    return ends;
  }

  private List<Runnable> beginning;

  private <T> void call(Callable<T> callable, BiConsumer<T, Throwable> handler) {
    T result = null;
    Throwable failure = null;
    try {
      result = callable.call();
    } catch (Exception e) {
      failure = e;
    }
    T found = result;
    Throwable why = failure;
    if (beginning != null) {
      beginning.add(() -> handler.accept(found, why));
    } else {
      handler.accept(found, why);
    }
  }

  @Override
  public void runInCoordinatorThread(Runnable runnable) {
    runnable.run();
  }
}
