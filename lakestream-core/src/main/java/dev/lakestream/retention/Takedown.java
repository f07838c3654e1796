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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleCheck;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.batch.slice.RecordEditor;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import dev.lakestream.batch.slice.TokenEditor;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitLoop;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publisher;
import dev.lakestream.format.Uuids;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.Redaction;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Takes records out of history. Each bundle that holds any is written anew without them; one commit
 * then shows the new bundles in place of the old ones, and says of each step how many records it
 * lacks, since when and why. Steps keep their numbers and all other records.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Nothing is seen of it before the commit, except that it is a producer of the stream while
 *       it runs: so its new bundles are pending for reclamation, and not orphans that go by age
 *       between the last look at them and the commit. Killed before, it leaves that producer and
 *       the bundles, and can simply be run again; when the producer is retired, they go.
 *   <li>The old bundles are read until the commit, and not deleted here. No manifest from then on
 *       leads to them, so that reclamation deletes them; only then are the bytes gone.
 *   <li>Two takedowns at once, or a trim: on every base of the commit the bundles are compared with
 *       those that were rewritten. Another one in the place of such a bundle: the work is done
 *       again upon it, unless records are named by numbers that may have moved; a trimmed one is
 *       left out.
 *   <li>A reader that knows an older manifest asks for a bundle that is gone, looks at the newest
 *       manifest and finds the step there.
 * </ul>
 *
 * Holds one bundle in memory, and what replaces it. Used by one thread at a time.
 */
public final class Takedown {

  private static final int TRIES = 10;

  private final TrainingStream stream;
  private final List<SliceEditor> editors;
  private final CommitSettings commits;
  private final RandomGenerator random;
  private final Supplier<UUID> ids;
  private final UUID owner;
  private final String producerId;
  private boolean claimed;

  /**
   * @param more editors of slice formats beside {@code records} and {@code tokens}
   */
  public Takedown(TrainingStream stream, List<? extends SliceEditor> more) {
    this(
        stream,
        Stream.concat(more.stream(), Stream.of(new RecordEditor(), new TokenEditor()))
            .map(SliceEditor.class::cast)
            .toList(),
        CommitSettings.DEFAULT,
        RandomGenerator.getDefault(),
        UUID::randomUUID);
  }

  private Takedown(
      TrainingStream stream,
      List<SliceEditor> editors,
      CommitSettings commits,
      RandomGenerator random,
      Supplier<UUID> ids) {
    this.stream = stream;
    this.editors = editors;
    this.commits = commits;
    this.random = random;
    this.ids = ids;
    this.owner = ids.get();
    this.producerId = "takedown/" + Uuids.hex(owner);
  }

  /**
   * With other settings of its commits, their source of jitter, and the source of the ids in the
   * names of new bundles, which never come twice.
   */
  public Takedown commits(CommitSettings other, RandomGenerator jitter, Supplier<UUID> newIds) {
    return new Takedown(stream, editors, other, jitter, newIds);
  }

  /**
   * What a takedown does, or would do.
   *
   * @param redactions by step: how many records are taken out of it
   * @param rewritten bundles that are replaced; reclamation deletes them
   * @param version of the manifest that says so; empty: nothing was to be done, or it was a
   *     rehearsal
   */
  public record Result(
      Map<Long, Long> redactions, List<BundleDescriptor> rewritten, Optional<Long> version) {

    public Result {
      redactions = java.util.Collections.unmodifiableMap(new TreeMap<>(redactions));
      rewritten = List.copyOf(rewritten);
    }

    /** Over all steps. */
    public long records() {
      return redactions.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** Which steps, and what is to go. */
  public record Request(long fromStep, long toStep, Removal removal, String reason) {

    /**
     * @param fromStep the first step
     * @param toStep one past the last
     * @param reason for people; it stands in every manifest from then on
     */
    public Request {
      if (fromStep < 0 || toStep <= fromStep) {
        throw new IllegalArgumentException(
            "There are no steps from " + fromStep + " to before " + toStep + ".");
      }
      if (removal instanceof Removal.Records && toStep != fromStep + 1) {
        throw new IllegalArgumentException(
            "Records are taken out by their numbers in one step, not in steps "
                + fromStep
                + " to "
                + (toStep - 1)
                + ".");
      }
      if (reason.isBlank() || reason.length() > Redaction.MAX_REASON) {
        throw new IllegalArgumentException(
            "A takedown needs a reason of 1 to " + Redaction.MAX_REASON + " characters.");
      }
    }
  }

  /** What would be taken out; writes nothing. */
  public Result rehearse(Request request) {
    TakedownWork work = work(request);
    work.find(bundles(request), false);
    return work.result(Optional.empty());
  }

  /**
   * Takes the records out.
   *
   * @throws TrimmedException if a step that is named has been reclaimed
   * @throws InvalidBatchException if there is no such step or record, or the format cannot be
   *     edited
   * @throws LakestreamException if records are named by number and another takedown took some out
   *     of the step meanwhile
   */
  public Result run(Request request) {
    Result result;
    try {
      result = take(request);
    } catch (RuntimeException | Error failed) {
      try {
        letGo();
      } catch (LakestreamException left) {
        failed.addSuppressed(left);
      }
      throw failed;
    }
    letGo();
    return result;
  }

  /** After a failure, or when there was nothing to show: the commit that shows it lets go, too. */
  private void letGo() {
    if (claimed) {
      var unused = publisher().retire(producerId);
      claimed = false;
    }
  }

  private Result take(Request request) {
    List<BundleDescriptor> bundles = bundles(request);
    TakedownWork work = work(request);
    for (int tries = 0; tries < TRIES; tries++) {
      work.find(bundles, true);
      if (work.replacements().isEmpty()) {
        return work.result(Optional.empty());
      }
      List<BundleDescriptor> overtaken = new ArrayList<>();
      CommitLoop.Committed committed = commit(work, overtaken);
      if (overtaken.isEmpty()) {
        return work.result(Optional.of(committed.manifest().version()));
      }
      bundles = overtaken;
      claim(); // An own attempt that got through, and was overtaken then, has let go.
    }
    throw new LakestreamException(
        "The takedown of "
            + request.removal()
            + " in "
            + stream
            + " was overtaken by others "
            + TRIES
            + " times. Nothing was taken out; run it again.");
  }

  private TakedownWork work(Request request) {
    return new TakedownWork(
        stream,
        editors,
        request,
        () -> {
          if (!claimed) {
            claim();
          }
          return new BundleName(owner, 0, 0, ids.get());
        });
  }

  private List<BundleDescriptor> bundles(Request request) {
    Manifest head = stream.log().newest();
    if (request.fromStep() < head.firstStep()) {
      throw new TrimmedException(stream.id(), request.fromStep(), head.firstStep());
    }
    if (request.toStep() > head.nextStep()) {
      throw new InvalidBatchException(
          "Steps "
              + request.fromStep()
              + " to "
              + (request.toStep() - 1)
              + " were asked for, and "
              + stream
              + " ends before step "
              + head.nextStep()
              + ".");
    }
    History history = stream.history(head);
    List<BundleDescriptor> found = new ArrayList<>();
    long step = request.fromStep();
    while (step < request.toStep()) {
      for (BundleDescriptor bundle : history.bundles(step, 256)) {
        if (bundle.firstStep() < request.toStep()) {
          found.add(bundle);
        }
        step = bundle.nextStep();
      }
    }
    return found;
  }

  /**
   * Shows the replacements.
   *
   * @param overtaken takes what stands where a bundle was rewritten that is no longer there; then
   *     nothing has been committed
   */
  private CommitLoop.Committed commit(TakedownWork work, List<BundleDescriptor> overtaken) {
    CommitLoop loop = new CommitLoop(stream, commits, random, new CommitMetrics());
    List<TakedownWork.Replacement> done = new ArrayList<>();
    CommitLoop.Committed committed =
        loop.commit(
            base -> {
              overtaken.clear();
              done.clear();
              History history = stream.history(base);
              NextManifest next = new NextManifest(base, "takedown");
              int added = 0;
              for (TakedownWork.Replacement replacement : work.replacements()) {
                if (replacement.old().nextStep() <= base.firstStep()) {
                  done.add(replacement);
                  continue;
                }
                long step = Math.max(replacement.old().firstStep(), base.firstStep());
                BundleDescriptor now = history.bundleOf(step).orElseThrow();
                if (now.equals(replacement.old())) {
                  requireClaimed(base);
                  requireIntact(replacement.fresh().bundle());
                  next.replace(replacement.fresh());
                  added++;
                } else if (!now.equals(replacement.fresh())) { // Else an own attempt got through.
                  requireSameNumbers(work.request(), replacement.old(), now);
                  overtaken.add(now);
                  done.add(replacement);
                }
              }
              return overtaken.isEmpty() && added > 0
                  ? Optional.of(next.retire(producerId))
                  : Optional.empty();
            });
    done.forEach(work::forget); // Not before: what was decided last is what counts.
    return committed;
  }

  /**
   * A new one each time, which looks for the head by a listing: what follows a manifest that is
   * known from before may have been reclaimed while this process slept, and the entry seen there
   * may be gone.
   */
  private Publisher publisher() {
    return new Publisher(stream, commits, random, new CommitMetrics());
  }

  /** The name that protects the new bundles from reclamation until they are shown. */
  private void claim() {
    claimed = true;
    var unused =
        publisher()
            .takeOver(new Claim(producerId, owner, "takedown", new Claim.Fresh()), OnRewind.FAIL);
  }

  private void requireClaimed(Manifest base) {
    if (base.producer(producerId).isEmpty()) {
      throw new LakestreamException(
          "Producer \""
              + producerId
              + "\" of "
              + stream
              + ", which is this takedown, was retired while it ran, so that what it has written may"
              + " be reclaimed at any moment. Nothing was taken out; run it again.");
    }
  }

  /** Records that another takedown took out of the step may have moved those that are meant. */
  private void requireSameNumbers(Request request, BundleDescriptor old, BundleDescriptor now) {
    long step = request.fromStep();
    if (request.removal() instanceof Removal.Records
        && !now.redactions(step).equals(old.redactions(step))) {
      throw new LakestreamException(
          "While "
              + request.removal()
              + " were to be taken out of step "
              + step
              + " of "
              + stream
              + ", others were: "
              + now.redactions(step)
              + ". The numbers may mean other records now. Look at the step, and run the takedown again"
              + " with the numbers that they have there.");
    }
  }

  private void requireIntact(StagedBundle fresh) {
    Futures.await(BundleCheck.exists(stream.store(), stream.id(), fresh));
  }
}
