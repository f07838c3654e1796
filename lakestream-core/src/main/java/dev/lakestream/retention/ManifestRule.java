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

import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.store.Listing;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A manifest is garbage when enough newer ones follow it, and the next one is old enough that no
 * listing is stale enough not to show it. Never the head, since that is not followed by any.
 *
 * @param listed all that were listed, before {@code newest} was read
 * @param newest the version of the head
 */
record ManifestRule(
    NavigableMap<Long, Listing.Entry> listed,
    long newest,
    ReclaimSettings settings,
    StoreClock clock)
    implements GuardedDeleter.Rule {

  @Override
  public Kind kind() {
    return Kind.MANIFEST;
  }

  @Override
  public Optional<String> garbage(Listing.Entry object) {
    OptionalLong version = StreamKeys.manifestVersion(object.key());
    if (version.isEmpty()
        || version.getAsLong() > newest - settings.keepManifests()
        || version.getAsLong() >= listed.lastKey()) {
      return Optional.empty();
    }
    // Behind a hole nothing follows that would be part of the stream: its own age counts.
    Listing.Entry next = listed.getOrDefault(version.getAsLong() + 1, object);
    return clock.isOlder(next, settings.manifestAge())
        ? Optional.of(
            (newest - version.getAsLong())
                + " newer manifests follow it, the next one older than "
                + settings.manifestAge())
        : Optional.empty();
  }
}
