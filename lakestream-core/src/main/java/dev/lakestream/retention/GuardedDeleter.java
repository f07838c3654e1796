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
package dev.lakestream.retention;

import dev.lakestream.batch.BundleName;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.retention.ReclaimResult.Tally;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.PendingUpload;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The one place in which reclamation deletes. Nothing goes without a rule for its kind that says
 * why, without a name of exactly that kind, and without a line to the listener before.
 *
 * <p>Assumption: deleting what is gone already is no error, so that two may do it at once. A
 * deletion that fails ends the reclamation; the next one finds the object again.
 */
final class GuardedDeleter {

  private static final int AT_ONCE = 16;

  private final ObjectStore store;
  private final boolean dryRun;
  private final ReclaimListener listener;
  private final Deque<CompletableFuture<Void>> running = new ArrayDeque<>();
  private final Map<Kind, Tally> tallies = new EnumMap<>(Kind.class);

  GuardedDeleter(ObjectStore store, boolean dryRun, ReclaimListener listener) {
    this.store = store;
    this.dryRun = dryRun;
    this.listener = listener;
  }

  /** Says of one kind of object what is garbage. */
  interface Rule {

    Kind kind();

    /** Why the object is garbage; empty: it is not, or nobody can tell. */
    Optional<String> garbage(Listing.Entry object);
  }

  /** Deletes the object if the rule says so; returns whether it does. May return before it is. */
  boolean offer(Listing.Entry object, Rule rule) {
    if (!Kind.of(object.key()).equals(Optional.of(rule.kind()))) {
      return false;
    }
    Optional<String> why = rule.garbage(object);
    if (why.isEmpty()) {
      return false;
    }
    listener.deleting(new Deletion(rule.kind(), object.key(), object.length(), why.get()));
    if (!dryRun) {
      run(store.delete(object.key()));
    }
    tallies.merge(rule.kind(), new Tally(1, object.length()), Tally::plus);
    return true;
  }

  /** Ends an upload of a bundle that began before {@code startedBefore}. */
  void offer(PendingUpload upload, long startedBefore) {
    if (BundleName.parse(upload.key()).isEmpty() || upload.startedAt() >= startedBefore) {
      return;
    }
    listener.deleting(
        new Deletion(
            Kind.UPLOAD, upload.key(), 0, "its upload in parts began long ago and never ended"));
    if (!dryRun) {
      run(store.abort(upload));
    }
    tallies.merge(Kind.UPLOAD, new Tally(1, 0), Tally::plus);
  }

  private void run(CompletableFuture<Void> request) {
    running.add(request);
    if (running.size() >= AT_ONCE) {
      Futures.await(running.remove());
    }
  }

  /** Waits until all deletions have been made. */
  void drain() {
    while (!running.isEmpty()) {
      Futures.await(running.remove());
    }
  }

  Map<Kind, Tally> tallies() {
    return tallies;
  }
}
