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
import dev.lakestream.commit.BundleFates;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.store.Listing;
import java.time.Duration;
import java.util.Optional;

/**
 * A bundle is garbage when the newest manifest, read after the bundle was listed, does not lead to
 * it, and its owner's lineage has published past the checkpoint in its name; or when no manifest
 * names its owner, and it is old. Whether it was published and trimmed or never published makes no
 * difference, so that nothing needs to be remembered from one run to the next.
 *
 * @param clock tells ages, and only of bundles whose owner is unknown
 */
record BundleRule(
    Manifest newest, LiveObjects live, BundleFates fates, StoreClock clock, Duration orphanAge)
    implements GuardedDeleter.Rule {

  @Override
  public Kind kind() {
    return Kind.BUNDLE;
  }

  @Override
  public Optional<String> garbage(Listing.Entry object) {
    Optional<BundleName> name = BundleName.parse(object.key());
    if (name.isEmpty() || live.hasBundle(object.key())) {
      return Optional.empty();
    }
    return switch (fates.of(name.get())) {
      case PENDING -> Optional.empty();
      case PASSED ->
          Optional.of(
              "manifest "
                  + newest.version()
                  + " does not lead to it, and its producer has published past checkpoint "
                  + name.get().afterCheckpoint());
      case UNKNOWN_OWNER ->
          clock.isOlder(object, orphanAge)
              ? Optional.of(
                  "manifest "
                      + newest.version()
                      + " does not lead to it, no manifest names its owner, and it is older than "
                      + orphanAge)
              : Optional.empty();
    };
  }
}
