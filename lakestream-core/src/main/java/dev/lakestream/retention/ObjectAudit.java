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
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.retention.Finding.Check;
import dev.lakestream.store.Listings;
import dev.lakestream.store.ObjectStore;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** Lists everything under the prefix and reports what no manifest leads to. Touches nothing. */
final class ObjectAudit {

  private static final int PROGRESS = 1000;

  private final ObjectStore store;
  private final Predicate<String> isReferenced;
  private final long lowestLive;
  private final Findings findings;
  private long seen;

  /**
   * @param isReferenced of a bundle's or a segment's key
   * @param lowestLive the oldest live manifest
   */
  ObjectAudit(
      ObjectStore store, Predicate<String> isReferenced, long lowestLive, Findings findings) {
    this.store = store;
    this.isReferenced = isReferenced;
    this.lowestLive = lowestLive;
    this.findings = findings;
  }

  long objects() {
    return seen;
  }

  void run() {
    Listings.forEach(
        store,
        "",
        entry -> {
          classify(entry.key());
          if (++seen % PROGRESS == 0) {
            findings.progress(Check.OBJECTS, seen, 0);
          }
        });
    findings.progress(Check.OBJECTS, seen, 0);
  }

  private void classify(String key) {
    if (key.equals(StreamKeys.STREAM) || key.startsWith("watermark/") || key.startsWith("tag/")) {
      return;
    }
    if (key.startsWith(StreamKeys.MANIFEST_PREFIX)) {
      OptionalLong version = StreamKeys.manifestVersion(key);
      if (version.isEmpty()) {
        foreign(key);
      } else if (version.getAsLong() < lowestLive) {
        orphan(key, version.getAsLong());
      }
    } else if (key.startsWith("probe/")) {
      findings.note(Check.OBJECTS, key, "It is left of a probe of the store; it may be deleted.");
    } else if (isOurs(key)) {
      if (!isReferenced.test(key)) {
        findings.note(
            Check.OBJECTS,
            key,
            "The newest manifest does not refer to it: it is about to be published, or trimmed, or"
                + " garbage that reclamation deletes.");
      }
    } else {
      foreign(key);
    }
  }

  private static boolean isOurs(String key) {
    return BundleName.parse(key).isPresent() || StreamKeys.segmentVersion(key).isPresent();
  }

  private void orphan(String key, long version) {
    if (version == 0) {
      findings.error(
          Check.MANIFESTS,
          key,
          "It is there, and manifest "
              + (lowestLive - 1)
              + " is not: reclamation deletes the oldest first, so that one was lost.");
    } else {
      findings.note(
          Check.MANIFESTS,
          key,
          "It lies below the live manifests, which begin at "
              + lowestLive
              + ", and is not part of the stream.");
    }
  }

  private void foreign(String key) {
    findings.note(Check.OBJECTS, key, "No Lakestream object has this name: it is not touched.");
  }
}
