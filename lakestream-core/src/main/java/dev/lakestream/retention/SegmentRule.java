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
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A segment is garbage when the oldest manifest that is left is of its version or above, and
 * neither that one nor the newest leads to it. A segment is in use for a run of versions that
 * begins with its own: if any manifest that is left leads to it, the oldest one does; and whoever
 * wrote it for a commit that is still under way has lost that number.
 *
 * @param oldest the lowest live version that is left
 * @param inOldest the names that it leads to
 */
record SegmentRule(long oldest, Set<String> inOldest, LiveObjects live)
    implements GuardedDeleter.Rule {

  @Override
  public Kind kind() {
    return Kind.SEGMENT;
  }

  @Override
  public Optional<String> garbage(Listing.Entry object) {
    OptionalLong version = StreamKeys.segmentVersion(object.key());
    if (version.isEmpty()
        || version.getAsLong() > oldest
        || inOldest.contains(object.key())
        || live.hasSegment(object.key())) {
      return Optional.empty();
    }
    return Optional.of(
        "it was written for manifest "
            + version.getAsLong()
            + ", and no manifest from "
            + oldest
            + " on leads to it");
  }
}
