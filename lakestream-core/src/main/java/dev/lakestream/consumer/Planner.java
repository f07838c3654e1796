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
package dev.lakestream.consumer;

import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides what a reader fetches next: follows manifests, looks up bundles, and starts fetches as
 * far as the {@link FetchQueue} has room for them. It runs in a thread of its own until the queue
 * is closed; what goes wrong is the queue's to hand out, and the plan goes on when it is asked to.
 */
final class Planner implements Runnable {

  private final TrainingStream stream;
  private final MeteredStore store;
  private final Topology topology;
  private final ReaderSettings settings;
  private final ManifestWatch watch;
  private final FetchQueue queue;
  private final long mostPartBytes;
  private final Deque<BundlePlan> plans = new ArrayDeque<>();
  private long generation = -1;
  private Stand next;

  Planner(
      TrainingStream stream,
      MeteredStore store,
      Topology topology,
      ReaderSettings settings,
      ManifestWatch watch,
      FetchQueue queue) {
    this.stream = stream;
    this.store = store;
    this.topology = topology;
    this.settings = settings;
    this.watch = watch;
    this.queue = queue;
    this.mostPartBytes =
        Math.min(Integer.MAX_VALUE - 1024, Math.max(1, settings.prefetchBytes() / 2));
  }

  @Override
  public void run() {
    while (awaitTurn()) {
      try {
        plan();
      } catch (Throwable e) { // An Error too must reach the consumer, who would wait for ever.
        plans.clear();
        queue.fail(generation, e);
      }
    }
  }

  /** Waits until there is something to do; false: the reader is closed. */
  private boolean awaitTurn() {
    FetchQueue.Turn turn = queue.awaitTurn(generation);
    if (turn == null) {
      return false;
    }
    if (turn.generation() != generation) {
      generation = turn.generation();
      next = turn.wanted();
      plans.clear();
    }
    return true;
  }

  private void plan() {
    if (plans.isEmpty() && !lookUp()) {
      return;
    }
    queue.enter(Stage.FETCH);
    BundlePlan plan = plans.peek();
    for (BundlePlan.Part part : plan.parts(mostPartBytes)) {
      if (!queue.awaitRoom(generation, part.bytes())) {
        return;
      }
      submit(plan, part);
    }
    plans.remove();
  }

  /** Finds the bundles whose turn is next; false: there are none yet. */
  private boolean lookUp() {
    Manifest known = watch.manifest();
    if (!BundleLookup.isThere(topology, next, known)) {
      watch.look(stream, known, settings.pollInterval(), this::isWanted, queue::enter);
      return false;
    }
    queue.enter(Stage.LOOKUP);
    // So many bundles are planned at once: their footers are read side by side.
    int most = queue.limit();
    BundleLookup lookup =
        watch.lookUp(stream, manifest -> new BundleLookup(stream, topology, manifest, next, most));
    Stand from = lookup.from();
    next = from;
    for (BundleDescriptor bundle : lookup.bundles()) {
      plans.add(BundlePlan.of(stream, store, bundle, topology, from, lookup));
      from = lookup.after(from, bundle);
    }
    return !plans.isEmpty();
  }

  private boolean isWanted() {
    return queue.isWanted(generation);
  }

  private void submit(BundlePlan plan, BundlePlan.Part part) {
    long start = System.nanoTime();
    Fetch fetch;
    try {
      fetch = plan.start(part);
    } catch (RuntimeException e) {
      queue.release(part.bytes());
      throw e;
    }
    if (queue.add(generation, fetch, start)) {
      next = fetch.next();
    }
  }
}
