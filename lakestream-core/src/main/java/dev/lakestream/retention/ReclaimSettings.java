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

import java.time.Duration;
import java.util.OptionalLong;

/**
 * What reclamation leaves.
 *
 * @param trimTo give up the steps below it, even if nobody has recorded a watermark; watermarks and
 *     tags still hold. Empty: as far as these allow, and nowhere if there are none
 * @param keepManifests so many of the newest manifests stay, 1 or more: readers that stand there
 *     find what they read
 * @param manifestAge manifests whose successor is younger stay, too. Must exceed any staleness of
 *     the store's listings (invariant I8)
 * @param orphanAge an unreferenced bundle whose owner no manifest names goes when it is older
 * @param uploadAge an upload that has begun longer ago, and has not ended, is aborted
 * @param dryRun delete and commit nothing, and say what would be
 */
public record ReclaimSettings(
    OptionalLong trimTo,
    int keepManifests,
    Duration manifestAge,
    Duration orphanAge,
    Duration uploadAge,
    boolean dryRun) {

  public static final ReclaimSettings DEFAULT =
      new ReclaimSettings(
          OptionalLong.empty(),
          100,
          Duration.ofHours(1),
          Duration.ofDays(7),
          Duration.ofDays(1),
          false);

  public ReclaimSettings {
    if (keepManifests < 1) {
      throw new IllegalArgumentException(
          "The newest manifest always stays: keep 1 or more, not " + keepManifests + ".");
    }
    if (trimTo.isPresent() && trimTo.getAsLong() < 0) {
      throw new IllegalArgumentException("There is no step " + trimTo.getAsLong() + ".");
    }
    if (manifestAge.isNegative() || orphanAge.isNegative() || uploadAge.isNegative()) {
      throw new IllegalArgumentException(
          "No age is below 0: " + manifestAge + ", " + orphanAge + ", " + uploadAge + ".");
    }
  }

  public ReclaimSettings trimTo(long step) {
    return new ReclaimSettings(
        OptionalLong.of(step), keepManifests, manifestAge, orphanAge, uploadAge, dryRun);
  }

  public ReclaimSettings keepManifests(int count) {
    return new ReclaimSettings(trimTo, count, manifestAge, orphanAge, uploadAge, dryRun);
  }

  public ReclaimSettings manifestAge(Duration age) {
    return new ReclaimSettings(trimTo, keepManifests, age, orphanAge, uploadAge, dryRun);
  }

  public ReclaimSettings orphanAge(Duration age) {
    return new ReclaimSettings(trimTo, keepManifests, manifestAge, age, uploadAge, dryRun);
  }

  public ReclaimSettings uploadAge(Duration age) {
    return new ReclaimSettings(trimTo, keepManifests, manifestAge, orphanAge, age, dryRun);
  }

  public ReclaimSettings dryRun(boolean dry) {
    return new ReclaimSettings(trimTo, keepManifests, manifestAge, orphanAge, uploadAge, dry);
  }
}
