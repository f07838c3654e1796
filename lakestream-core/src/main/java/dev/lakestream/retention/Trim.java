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

import dev.lakestream.commit.CommitLoop;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.TrainingStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/**
 * Gives up the steps that nobody will ask for, by a commit. What watermarks and tags say is read
 * anew on each base: one that is recorded while others commit is respected.
 *
 * <p>Assumptions, and what becomes of the steps when one fails:
 *
 * <ul>
 *   <li>Nothing that holds steps is passed over: a watermark or tag that cannot be read ends the
 *       trim. Without any, no step goes, unless a limit is stated.
 *   <li>A watermark may be recorded between the look and the commit. It only matters at a start,
 *       and there {@link RankRecorder#register} looks at the trim after it has recorded, and says
 *       so. A tag makes a commit of its own, which takes the number from this one.
 *   <li>The trim never goes back, and never past the end.
 * </ul>
 */
final class Trim {

  private final TrainingStream stream;
  private final OptionalLong limit;
  private Optional<Hold> heldBy = Optional.empty();

  /**
   * @param limit at most to this step; empty: as far as watermarks and tags allow, and nowhere if
   *     there are none
   */
  Trim(TrainingStream stream, OptionalLong limit) {
    this.stream = stream;
    this.limit = limit;
  }

  /** Commits; returns the newest manifest. */
  Manifest commit(CommitSettings settings, RandomGenerator random) {
    return new CommitLoop(stream, settings, random, new CommitMetrics())
        .commit(
            base -> {
              long step = step(base);
              return step <= base.firstStep()
                  ? Optional.empty()
                  : Optional.of(new NextManifest(base, "trim").trim(step, row(base, step)));
            })
        .manifest();
  }

  /** The first step that is to be held. */
  long step(Manifest base) {
    GlobalWatermark watermark = GlobalWatermark.read(stream);
    heldBy = watermark.lowest();
    if (watermark.step().isEmpty() && limit.isEmpty()) {
      return base.firstStep();
    }
    long allowed = Math.min(watermark.step().orElse(Long.MAX_VALUE), limit.orElse(Long.MAX_VALUE));
    return Math.max(base.firstStep(), Math.min(allowed, base.nextStep()));
  }

  private long row(Manifest base, long step) {
    return step == base.nextStep()
        ? base.nextRow()
        : stream.history(base).bundleOf(step).orElseThrow().rowOf(step);
  }

  /** What holds the most, as of the last look. */
  Optional<Hold> heldBy() {
    return heldBy;
  }
}
