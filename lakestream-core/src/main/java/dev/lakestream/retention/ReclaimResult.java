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

import dev.lakestream.retention.Deletion.Kind;
import java.util.Map;
import java.util.Optional;

/**
 * What a reclamation has done, or, if it was dry, would have done.
 *
 * @param version the newest manifest that it saw
 * @param firstStepBefore the first step held before
 * @param firstStep the first step held afterwards
 * @param nextStep one past the newest step
 * @param heldBy why no more was trimmed; empty: nothing holds
 * @param deleted by kind; kinds of which nothing was deleted are left out
 * @param pending bundles that are not referenced and may still be published
 * @param oldestManifest the lowest version that is left
 */
public record ReclaimResult(
    long version,
    long firstStepBefore,
    long firstStep,
    long nextStep,
    Optional<Hold> heldBy,
    Map<Kind, Tally> deleted,
    Tally pending,
    long oldestManifest,
    boolean dryRun) {

  /**
   * How many objects of how many bytes.
   *
   * @param bytes as listed
   */
  public record Tally(long objects, long bytes) {

    static final Tally NONE = new Tally(0, 0);

    Tally plus(Tally other) {
      return new Tally(objects + other.objects, bytes + other.bytes);
    }

    Tally plus(long size) {
      return new Tally(objects + 1, bytes + size);
    }
  }

  public ReclaimResult {
    deleted = Map.copyOf(deleted);
  }

  /** Over all kinds. */
  public Tally total() {
    return deleted.values().stream().reduce(Tally.NONE, Tally::plus);
  }

  public Tally deleted(Kind kind) {
    return deleted.getOrDefault(kind, Tally.NONE);
  }
}
