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

import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.ManifestFollower;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.Fault;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the stream for steps, on behalf of the enumerator. Keeps no state of its own but the newest
 * manifest that it has seen.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>The stream only grows at its end, and is trimmed at its beginning. A position below the
 *       trim is {@link PositionReclaimedException}, or moves to the first step held if that is
 *       wanted.
 *   <li>A position is of this stream and not of a later state of it, which a restored copy would
 *       not hold: {@link StreamMismatchException}.
 * </ul>
 *
 * Used by one thread at a time.
 */
final class Discovery {

  private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);

  /** A limit that is not reached within so much is not worth more requests. */
  private static final int MOST_LIMIT_LOOKS = 16;

  private static final int LIMIT_LOOK_BUNDLES = 64;

  private static final Duration CONFIRM_INTERVAL = Duration.ofSeconds(30);

  private final TrainingStream stream;
  private final SourceConfig config;
  private final ManifestFollower follower;

  Discovery(TrainingStream stream, SourceConfig config) {
    this.stream = stream;
    this.config = config;
    this.follower = new ManifestFollower(stream, CONFIRM_INTERVAL);
  }

  /**
   * What a look brought.
   *
   * @param from the position that it started from
   * @param to the position behind {@code bundles}
   * @param end the first step that is not read, if that is settled
   * @param head one past the newest step of the stream
   */
  record Found(
      StreamPosition from,
      StreamPosition to,
      List<BundleDescriptor> bundles,
      OptionalLong end,
      long head) {

    /** The wanted slices of the wanted steps; nothing of bundles that have none. */
    List<BundleSplit> splits(SourceConfig config) {
      return bundles.stream()
          .map(bundle -> split(bundle, config))
          .flatMap(Optional::stream)
          .toList();
    }

    private Optional<BundleSplit> split(BundleDescriptor bundle, SourceConfig config) {
      long first = bundle.firstStep();
      RankSet ranks = config.ranksOf(bundle.bundle().mesh());
      LongRanges steps =
          config
              .hints()
              .filter()
              .steps()
              .within(Math.max(first, from.nextStep()), Math.min(bundle.nextStep(), to.nextStep()));
      return ranks.isEmpty() || steps.isEmpty()
          ? Optional.empty()
          : Optional.of(
              BundleSplit.of(
                  bundle, ranks, (int) (steps.min() - first), (int) (steps.max() + 1 - first)));
    }
  }

  /** Where a source without state starts. */
  StreamPosition start() {
    Manifest manifest = follower.manifest();
    StartupMode mode = config.startup();
    long step =
        switch (mode.kind()) {
          case EARLIEST -> manifest.firstStep();
          case LATEST -> manifest.nextStep();
          case STEP -> mode.number();
          case CURSOR -> stepOf(Cursor.parse(mode.text()));
          case TIMESTAMP -> firstStepPublishedAt(mode.number(), manifest);
          case GROUP -> new Watermarks(stream).step(mode.text()).orElse(manifest.firstStep());
        };
    long held = held(step, manifest);
    StreamPosition start = position(manifest, config.hints().skip(held, manifest.nextStep()));
    LOG.info("Start of {} ({}): step {}", stream, mode, start.nextStep());
    if (start.nextStep() > manifest.nextStep()) {
      if (config.bound().kind() == BoundedMode.Kind.LATEST) {
        throw new StreamMismatchException(
            "Step "
                + start.nextStep()
                + " of "
                + stream
                + ", where the source is to start, does not exist: the stream ends before step "
                + manifest.nextStep()
                + ", and 'scan.bounded.mode' = 'latest' ends there too. Start at an earlier step.");
      }
      LOG.warn(
          "Step {} of {} does not exist yet (the next one is {}): the source waits for it",
          start.nextStep(),
          stream,
          manifest.nextStep());
    }
    return start;
  }

  private long stepOf(Cursor cursor) {
    if (!cursor.streamId().equals(stream.id())) {
      throw new StreamMismatchException(
          "The cursor to start at is of stream "
              + cursor.streamId()
              + ", and this is "
              + stream
              + ".");
    }
    return cursor.step();
  }

  /**
   * A restored position, moved if it must be.
   *
   * @throws StreamMismatchException if it is not of this stream
   */
  StreamPosition restored(StreamPosition saved) {
    if (!saved.streamId().equals(stream.id())) {
      throw new StreamMismatchException(
          "The restored state is of stream "
              + saved.streamId()
              + ", and this is "
              + stream
              + ". Restore with the path that the state was taken with, or start without it.");
    }
    Manifest manifest = follower.manifest();
    Optional<Manifest> then =
        manifest.version() < saved.version() ? Optional.empty() : stream.log().at(saved.version());
    boolean other =
        then.isPresent()
            && !then.get().commitId().equals(saved.commitId())
            && stream.log().isLive(then.get());
    if (manifest.version() < saved.version() || other) {
      throw new StreamMismatchException(
          "The restored state has seen manifest "
              + saved.version()
              + " (commit "
              + saved.commitId()
              + ") of "
              + stream
              + ", whose head is manifest "
              + manifest.version()
              + (other ? " with another manifest at that version" : "")
              + ": this copy of the stream is older than the state, or was overwritten. Restore the"
              + " newer one, or start without the state.");
    }
    return saved.withNextStep(held(saved.nextStep(), manifest));
  }

  /** The step itself, or the first one held if this one is not and that is allowed. */
  private long held(long step, Manifest manifest) {
    if (step >= manifest.firstStep()) {
      return step;
    }
    if (!config.skipsReclaimed()) {
      throw new PositionReclaimedException(stream.toString(), step, manifest.firstStep());
    }
    LOG.warn(
        "Steps {} to {} of {} have been reclaimed and are left out ('scan.on-reclaimed' ="
            + " 'earliest')",
        step,
        manifest.firstStep() - 1,
        stream);
    return manifest.firstStep();
  }

  /** What is left of a split; empty if all of it was reclaimed and may be left out. */
  Optional<BundleSplit> held(BundleSplit split) {
    return split.fromStep(held(split.nextStep(), follower.manifest()));
  }

  /**
   * Where the source ends, as far as that can be said: of {@code latest} the present end; of a time
   * nothing before it has come.
   */
  OptionalLong end() {
    Manifest manifest = follower.manifest();
    BoundedMode bound = config.bound();
    OptionalLong stated =
        switch (bound.kind()) {
          case NONE -> OptionalLong.empty();
          case LATEST -> OptionalLong.of(manifest.nextStep());
          case STEP -> OptionalLong.of(bound.number());
          case TIMESTAMP -> endAt(bound.number(), manifest);
        };
    return config.hints().end(stated);
  }

  /** {@link #end}, or an earlier one before which there are as many records as suffice. */
  OptionalLong endFrom(StreamPosition start) {
    OptionalLong end = end();
    Long limit = config.hints().limit();
    if (limit == null || end.isEmpty() || !config.selection().equals(SliceSelection.all())) {
      return end;
    }
    Manifest manifest = follower.manifest();
    long step = start.nextStep();
    long records = 0;
    for (int i = 0; i < MOST_LIMIT_LOOKS; i++) {
      long stop = Math.min(manifest.nextStep(), end.getAsLong());
      if (step >= stop) {
        return end;
      }
      for (BundleDescriptor bundle : bundles(manifest, step, stop, LIMIT_LOOK_BUNDLES)) {
        boolean whole = bundle.firstStep() >= step && bundle.nextStep() <= stop;
        records += whole ? bundle.bundle().records() : 0;
        step = Math.min(stop, bundle.nextStep());
        if (records >= limit) {
          return OptionalLong.of(step);
        }
      }
    }
    return end;
  }

  /** A step published later settles it too, whatever this machine's clock says. */
  private OptionalLong endAt(long millis, Manifest manifest) {
    long step = firstStepPublishedAt(millis, manifest);
    boolean past = step < manifest.nextStep() || stream.time().currentTimeMillis() >= millis;
    return past ? OptionalLong.of(step) : OptionalLong.empty();
  }

  /**
   * The next steps.
   *
   * @param known the end, if it is settled already
   * @param limit so many bundles at most
   */
  Found next(StreamPosition from, OptionalLong known, int limit) {
    // The clock is read before the stream, so that an end by time misses nothing published before.
    OptionalLong early = known.isPresent() ? known : end();
    follower.advance();
    Manifest manifest = follower.manifest();
    OptionalLong end =
        early.isPresent() && known.isEmpty() && config.bound().kind() == BoundedMode.Kind.TIMESTAMP
            ? end()
            : early;
    long step = config.hints().skip(held(from.nextStep(), manifest), manifest.nextStep());
    long stop = Math.min(manifest.nextStep(), end.orElse(Long.MAX_VALUE));
    List<BundleDescriptor> bundles = List.of();
    if (step < stop && limit > 0) {
      try {
        bundles = bundles(manifest, step, stop, limit);
        step = Math.min(stop, bundles.get(bundles.size() - 1).nextStep());
      } catch (StoreException e) {
        manifest = reclaimedMeanwhile(step, e);
        step = held(step, manifest);
      }
    }
    return new Found(from, position(manifest, step), bundles, end, manifest.nextStep());
  }

  private List<BundleDescriptor> bundles(Manifest manifest, long step, long stop, int limit) {
    return stream.history(manifest).bundles(step, limit).stream()
        .filter(bundle -> bundle.firstStep() < stop)
        .toList();
  }

  /** The head, if the segments of the manifest that is known went with the step itself. */
  private Manifest reclaimedMeanwhile(long step, StoreException failure) {
    Manifest newest = failure.fault() == Fault.MISSING ? stream.log().newest() : null;
    if (newest == null || step >= newest.firstStep()) {
      throw failure;
    }
    return newest;
  }

  private StreamPosition position(Manifest manifest, long nextStep) {
    return new StreamPosition(stream.id(), manifest.version(), manifest.commitId(), nextStep);
  }

  /** By bisection: times of publication never decrease in step order. */
  private long firstStepPublishedAt(long millis, Manifest manifest) {
    History history = stream.history(manifest);
    long low = manifest.firstStep();
    long high = manifest.nextStep();
    while (low < high) {
      BundleDescriptor bundle = history.bundleOf(low + (high - low) / 2).orElseThrow();
      if (bundle.publishedAt() < millis) {
        low = bundle.nextStep();
      } else {
        high = Math.max(low, bundle.firstStep());
      }
    }
    return low;
  }

  /** One past the newest step that is known. */
  long head() {
    return follower.manifest().nextStep();
  }

  /** The first step that is held, as far as is known. */
  long firstStep() {
    return follower.manifest().firstStep();
  }

  TrainingStream stream() {
    return stream;
  }
}
