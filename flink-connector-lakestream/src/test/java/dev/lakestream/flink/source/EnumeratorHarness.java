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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** An enumerator over a stream in memory, whose coordinator and readers the test plays. */
final class EnumeratorHarness {

  static final Mesh MESH = new Mesh(4, 2);

  private final TestStream stream = TestStream.inMemory(MESH).stepsPerBundle(1);
  private FakeEnumeratorContext context = new FakeEnumeratorContext(2);
  private LakestreamEnumerator enumerator;

  /** What it reads: of {@link #MESH}, one step in a bundle. */
  TestStream stream() {
    return stream;
  }

  /** Of the enumerator that was started last. */
  FakeEnumeratorContext context() {
    return context;
  }

  /** The one that was started last. */
  LakestreamEnumerator enumerator() {
    return enumerator;
  }

  /** A coordinator that nobody has registered with, for the next start. */
  void parallelism(int readers) {
    context = new FakeEnumeratorContext(readers);
  }

  void start() {
    start(builder -> builder);
  }

  void start(UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    enumerator = (LakestreamEnumerator) source(settings).createEnumerator(context);
    enumerator.start();
  }

  /** The enumerator's state as bytes and back. */
  EnumeratorState snapshot(long checkpoint) throws Exception {
    EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
    EnumeratorState state = enumerator.snapshotState(checkpoint);
    return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
  }

  /** Completes a checkpoint that was taken with {@link #snapshot}. */
  void complete(long checkpoint) throws Exception {
    enumerator.notifyCheckpointComplete(checkpoint);
    context.settle();
  }

  void restore(
      int parallelism,
      EnumeratorState state,
      UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    parallelism(parallelism);
    enumerator = (LakestreamEnumerator) source(settings).restoreEnumerator(context, state);
    enumerator.start();
  }

  private LakestreamSource<String> source(UnaryOperator<LakestreamSourceBuilder<String>> settings) {
    return settings
        .apply(
            LakestreamSource.<String>builder()
                .path(stream.address())
                .deserializer(TextDeserializer.create()))
        .build();
  }

  /** One tick of every timer of the coordinator, and everything that follows. */
  void tick() {
    context.tick();
  }

  /** A reader comes, with what it had before it was restored. */
  void register(int subtask, BundleSplit... reported) {
    context.register(subtask, List.of(reported));
    enumerator.addReader(subtask);
  }

  /** A reader asks for a split. */
  void ask(int subtask) {
    enumerator.handleSplitRequest(subtask, "here");
    context.settle();
  }

  /** What the reader has been given since it was asked last. */
  List<BundleSplit> taken(int subtask) {
    return context.taken(subtask);
  }

  /** A reader has emitted all of a split. */
  void finish(int subtask, BundleSplit split) {
    enumerator.handleSourceEvent(subtask, new SplitsFinishedEvent(List.of(split.splitId())));
  }

  /** A reader fails, and these splits are in no completed checkpoint of it. */
  void fail(int subtask, List<BundleSplit> lost) {
    context.unregister(subtask);
    enumerator.addSplitsBack(lost, subtask);
  }

  /** Asks for all readers in turn until nobody gets anything. */
  Map<Integer, List<BundleSplit>> readAll(int readers) {
    Map<Integer, List<BundleSplit>> all = new HashMap<>();
    boolean more = true;
    while (more) {
      more = false;
      for (int subtask = 0; subtask < readers; subtask++) {
        ask(subtask);
        List<BundleSplit> taken = taken(subtask);
        taken.forEach(split -> assertThat(split.ranks().isEmpty()).isFalse());
        all.computeIfAbsent(subtask, unused -> new ArrayList<>()).addAll(taken);
        more |= !taken.isEmpty();
      }
    }
    return all;
  }

  /** The steps of all these splits, sorted; one that is in two of them stands twice. */
  static List<Long> steps(Map<Integer, List<BundleSplit>> splits) {
    return splits.values().stream()
        .flatMap(List::stream)
        .flatMap(
            split ->
                LongStream.range(split.nextStep(), split.bundle().firstStep() + split.toTgb())
                    .boxed())
        .sorted()
        .toList();
  }

  static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }
}
