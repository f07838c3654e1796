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
import dev.lakestream.manifest.TrainingStream;

/**
 * Fetches ahead of the consumer: one thread plans (follows manifests, looks up bundles, starts
 * requests), the store's threads fetch, and the consumer takes fetches in step order.
 *
 * <p>The plan runs ahead of the consumer and says nothing about what was delivered: the consumer
 * keeps its own position, and whatever goes wrong here, {@link #seek} to that position starts over.
 */
final class Prefetcher implements AutoCloseable {

  private final Topology topology;
  private final ManifestWatch watch;
  private final MeteredStore store;
  private final FetchQueue queue;
  private final Planner planner;
  private Thread thread;
  private boolean closed;

  Prefetcher(
      TrainingStream stream,
      Topology topology,
      ReaderSettings settings,
      ManifestWatch watch,
      Waits waits) {
    this.topology = topology;
    this.watch = watch;
    this.store = new MeteredStore(stream.store());
    this.queue = new FetchQueue(stream.toString(), settings, waits, store::throttles);
    this.planner = new Planner(stream, store, topology, settings, watch, queue);
  }

  /**
   * Forgets what was fetched; goes on from {@code stand} when the consumer asks for it, so that
   * what it is given then was not fetched before it asked.
   */
  void seek(Stand stand) {
    queue.seek(stand);
    watch.wake();
  }

  /**
   * Waits for the next step.
   *
   * @param start when the caller began to wait, in {@link System#nanoTime} terms
   * @param nanos how long from then on
   */
  FetchQueue.Outcome await(long start, long nanos) {
    begin();
    return queue.await(start, nanos);
  }

  private synchronized void begin() {
    if (thread == null && !closed) {
      thread = new Thread(planner, "lakestream-reader-" + topology.d() + "-" + topology.c());
      thread.setDaemon(true);
      thread.start();
    }
  }

  /**
   * The consumer has taken the last step of the fetch at the head.
   *
   * @param ownNanos the time that it took for the fetch's steps, without waiting
   */
  void done(Fetch fetch, long ownNanos) {
    queue.done(fetch, ownNanos);
  }

  /** What is under way and what was asked for, beside what the reader itself knows. */
  ReaderStats stats(long steps) {
    return queue.stats(steps, store.requests(), store.bytes());
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      queue.close();
      if (thread != null) {
        thread.interrupt();
      }
    }
    watch.wake();
    watch.leave();
  }
}
