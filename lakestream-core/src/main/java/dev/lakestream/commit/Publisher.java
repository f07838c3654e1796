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
package dev.lakestream.commit;

import dev.lakestream.batch.BundleCheck;
import dev.lakestream.batch.BundleCopy;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.Owner;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.StoreException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Publishes bundles under a producer id: takes over, fences, and appends exactly once.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Whoever publishes has taken over before, with the owner id that it publishes under. A
 *       publication of any other owner is refused for good; nothing of it is dropped, because its
 *       checkpoint still holds it.
 *   <li>A publication may come again, after a restart or a lost reply: the sequence of its lineage
 *       in the base tells.
 *   <li>Bundles out of restored state may have been deleted, if the state is old. They are looked
 *       at before anything refers to them (invariant I4). One that reclamation may delete at any
 *       moment ({@link BundleFates}) is copied under a name of the publishing owner first, and the
 *       copy is published: this happens where a rewind appends what another lineage has gone past.
 * </ul>
 *
 * Used by one thread at a time.
 */
public final class Publisher {

  /** In the names of copies, where others have the number of a writer. */
  private static final int COPIED_BY = 0;

  private final TrainingStream stream;
  private final CommitLoop loop;

  public Publisher(
      TrainingStream stream,
      CommitSettings settings,
      RandomGenerator random,
      CommitMetrics metrics) {
    this.stream = stream;
    this.loop = new CommitLoop(stream, settings, random, metrics);
  }

  /**
   * What a claimant holds after a takeover.
   *
   * @param lineage in which it publishes from now on
   * @param rewound whether that lineage is new because the restored one had gone past the restored
   *     state
   * @param version the manifest that says so
   */
  public record Takeover(Lineage lineage, boolean rewound, long version) {}

  /**
   * Makes the claimant the owner of the producer, in a commit of its own; no commit if it is
   * already. From then on all earlier owners are fenced.
   *
   * @throws FencedException if another submission has taken over from the claimant
   * @throws RewindException if the stream already holds what this start would produce again, and
   *     {@code onRewind} is {@link OnRewind#FAIL}
   */
  public Takeover takeOver(Claim claim, OnRewind onRewind) {
    boolean[] rewound = {false};
    CommitLoop.Committed committed =
        loop.commit(
            base -> {
              long now = Math.max(base.createdAt(), stream.time().currentTimeMillis());
              Ownership.Verdict verdict =
                  Ownership.claim(
                      base.producer(claim.producerId()), claim, onRewind, now, UUID::randomUUID);
              if (verdict instanceof Ownership.Fenced fenced) {
                throw fenced(
                    claim.producerId(), claim.owner(), claim.jobName(), Optional.of(fenced.by()));
              }
              if (verdict instanceof Ownership.Rewound found) {
                throw rewound(base, claim, found);
              }
              if (verdict instanceof Ownership.Take take) {
                rewound[0] = take.rewound();
                return Optional.of(new NextManifest(base, "takeover").producer(take.entry()));
              }
              return Optional.empty();
            });
    ProducerEntry entry = committed.manifest().producer(claim.producerId()).orElseThrow();
    if (!entry.currentOwner().id().equals(claim.owner())) {
      throw fenced(
          claim.producerId(), claim.owner(), claim.jobName(), Optional.of(entry.currentOwner()));
    }
    return new Takeover(entry.currentLineage(), rewound[0], committed.manifest().version());
  }

  /**
   * What came of a publication.
   *
   * @param published whether this call published it; otherwise the stream had it already
   * @param version the manifest that has it
   * @param firstStep of the published bundles; empty when they were there already
   * @param nextStep one past the newest step of the stream at that version
   */
  public record Published(boolean published, long version, OptionalLong firstStep, long nextStep) {}

  /**
   * Publishes the bundles in one commit, or finds that they are published already.
   *
   * @throws FencedException if the publication's owner does not own the producer
   * @throws MissingBundleException if a restored bundle is gone or damaged
   */
  public Published publish(Publication publication) {
    Set<StagedBundle> unchecked =
        new LinkedHashSet<>(publication.restored() ? publication.bundles() : List.of());
    long[] firstStep = {0};
    Map<StagedBundle, StagedBundle> copies = new HashMap<>();
    CommitLoop.Committed committed =
        loop.commit(
            base -> {
              Optional<ProducerEntry> entry = base.producer(publication.producerId());
              Ownership.Permission permission = Ownership.permission(entry, publication);
              if (permission instanceof Ownership.NotOwner other) {
                throw fenced(
                    publication.producerId(), publication.owner(), "this job", other.owner());
              }
              if (permission instanceof Ownership.Already) {
                return Optional.empty();
              }
              requireIntact(base, publication, unchecked);
              if (publication.restored()) {
                copyUnprotected(base, publication, copies);
              }
              firstStep[0] = base.nextStep();
              return Optional.of(
                  append(
                      base,
                      entry.orElseThrow(),
                      ((Ownership.Append) permission).lineage(),
                      publication,
                      copies));
            });
    Manifest manifest = committed.manifest();
    return new Published(
        committed.published(),
        manifest.version(),
        committed.published() ? OptionalLong.of(firstStep[0]) : OptionalLong.empty(),
        manifest.nextStep());
  }

  /**
   * Removes the producer's entry from the stream. What it published stays; a job that still writes
   * under the id is fenced, and one that restores state of it is refused as a rewind.
   *
   * @return whether there was an entry
   */
  public boolean retire(String producerId) {
    return loop.commit(
            base ->
                base.producer(producerId)
                    .map(entry -> new NextManifest(base, "retire").retire(producerId)))
        .published();
  }

  /**
   * Bundles that are not restored were named by this very owner, and are pending until they are
   * published.
   */
  private void copyUnprotected(
      Manifest base, Publication publication, Map<StagedBundle, StagedBundle> copies) {
    BundleFates fates = new BundleFates(base);
    for (StagedBundle bundle : publication.bundles()) {
      boolean isPending =
          BundleName.parse(bundle.object())
              .filter(name -> fates.of(name) == BundleFates.Fate.PENDING)
              .isPresent();
      if (!isPending && !copies.containsKey(bundle)) {
        BundleName name =
            BundleName.create(publication.owner(), publication.sequence() - 1, COPIED_BY);
        try {
          copies.put(bundle, BundleCopy.copy(stream.store(), bundle, name));
        } catch (StoreException e) {
          throw missing(base, publication, bundle, e);
        }
      }
    }
  }

  private NextManifest append(
      Manifest base,
      ProducerEntry entry,
      Lineage lineage,
      Publication publication,
      Map<StagedBundle, StagedBundle> copies) {
    NextManifest next = new NextManifest(base, "append");
    for (StagedBundle original : publication.bundles()) {
      StagedBundle bundle = copies.getOrDefault(original, original);
      next.append(bundle, publication.producerId(), publication.sequence());
    }
    long now = Math.max(base.createdAt(), stream.time().currentTimeMillis());
    Lineage advanced =
        new Lineage(
            lineage.id(),
            publication.sequence(),
            Optional.of(publication.owner()),
            base.version() + 1,
            publication.position(),
            next.nextStep());
    return next.producer(entry.withLineage(advanced, now));
  }

  /**
   * Looks at all of them at once: each is one small read. What has been found whole leaves the set,
   * so that a fault of one does not begin all over.
   */
  private void requireIntact(Manifest base, Publication publication, Set<StagedBundle> unchecked) {
    List<StagedBundle> bundles = List.copyOf(unchecked);
    List<CompletableFuture<Void>> checks = bundles.stream().map(this::exists).toList();
    for (int i = 0; i < checks.size(); i++) {
      StagedBundle bundle = bundles.get(i);
      try {
        Futures.await(checks.get(i));
        unchecked.remove(bundle);
      } catch (CorruptObjectException e) {
        throw new MissingBundleException(stream.toString(), publication, bundle, e);
      } catch (StoreException e) {
        throw missing(base, publication, bundle, e);
      }
    }
  }

  /**
   * Who has been taken over from while it slept finds bundles reclaimed that nobody needs any more:
   * then the base is what is wrong, and the commit loop asks again on the newest one.
   */
  private RuntimeException missing(
      Manifest base, Publication publication, StagedBundle bundle, StoreException e) {
    if (e.fault() != Fault.MISSING) {
      return e;
    }
    Manifest newest = stream.log().newest();
    boolean overtaken =
        newest.version() > base.version()
            && !(Ownership.permission(newest.producer(publication.producerId()), publication)
                instanceof Ownership.Append);
    return overtaken ? e : new MissingBundleException(stream.toString(), publication, bundle, e);
  }

  private CompletableFuture<Void> exists(StagedBundle bundle) {
    try {
      return BundleCheck.exists(stream.store(), stream.id(), bundle);
    } catch (CorruptObjectException contradictsItself) {
      return CompletableFuture.failedFuture(contradictsItself);
    }
  }

  private FencedException fenced(
      String producerId, UUID owner, String jobName, Optional<Owner> by) {
    return new FencedException(
        "Producer \""
            + producerId
            + "\" of "
            + stream
            + (by.isPresent()
                ? " was taken over by "
                    + by.get()
                    + ", which fences "
                    + (jobName.equals("this job") ? "this job" : "job \"" + jobName + "\"")
                    + " (owner "
                    + owner
                    + "). Stop one of the two; if both are meant to write, give them different producer ids"
                : " has no entry in the stream: it was retired while this job (owner "
                    + owner
                    + ") was running. Start the job anew")
            + ". Nothing was dropped: what this job has not published is still in its checkpoints.");
  }

  private RewindException rewound(Manifest base, Claim claim, Ownership.Rewound found) {
    String steps =
        found
            .lineage()
            .map(
                lineage ->
                    "; the lineage stands at sequence "
                        + lineage.sequence()
                        + stepsPast(base, claim, lineage))
            .orElse("");
    String restored =
        claim.start() instanceof Claim.Restored state
            ? "checkpoint " + state.sequence() + ", taken by owner " + state.takenBy()
            : "no checkpoint";
    String other =
        base.producer(claim.producerId())
            .map(entry -> " The producer belongs to " + entry.currentOwner() + ".")
            .orElse("");
    return new RewindException(
        "Job \""
            + claim.jobName()
            + "\" (owner "
            + claim.owner()
            + ") starts as producer \""
            + claim.producerId()
            + "\" of "
            + stream
            + " from "
            + restored
            + ", but "
            + found.why()
            + steps
            + "."
            + other
            + " Restore the newest checkpoint instead; or, to append what will be produced again as new steps, set"
            + " sink.on-rewind = append.");
  }

  /** Which steps the restored state does not cover, as far back as the manifest's tail shows. */
  private static String stepsPast(Manifest base, Claim claim, Lineage lineage) {
    long restored = claim.start() instanceof Claim.Restored state ? state.sequence() : 0;
    List<BundleDescriptor> past =
        base.tail().stream()
            .filter(bundle -> bundle.producerId().equals(claim.producerId()))
            .filter(bundle -> bundle.sequence() > restored)
            .toList();
    if (past.isEmpty()) {
      return " (steps up to " + (lineage.nextStep() - 1) + ")";
    }
    return " (steps "
        + past.get(0).firstStep()
        + " to "
        + (past.get(past.size() - 1).nextStep() - 1)
        + ")";
  }
}
