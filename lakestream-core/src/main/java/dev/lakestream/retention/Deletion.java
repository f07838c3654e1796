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
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Something that reclamation deletes, or, in a dry run, would delete.
 *
 * @param key relative to the stream
 * @param bytes 0 for an upload: its parts are not listed
 * @param why the rule that it falls under, for people
 */
public record Deletion(Kind kind, String key, long bytes, String why) {

  private static final Pattern PROBE_NAME =
      Pattern.compile("probe/[0-9a-f]{8}-[0-9a-f-]{27}/[A-Za-z0-9-]+");

  /** What can be deleted. There is a rule for each, and nothing else is ever touched. */
  public enum Kind {
    BUNDLE,
    SEGMENT,
    MANIFEST,
    /** What a test of the store's conditional create left behind. */
    PROBE,
    /** Parts of an object that was never completed. */
    UPLOAD;

    /** What an object is by its name; empty: not ours, or nothing that is ever deleted. */
    static Optional<Kind> of(String key) {
      if (BundleName.parse(key).isPresent()) {
        return Optional.of(BUNDLE);
      }
      if (StreamKeys.segmentVersion(key).isPresent()) {
        return Optional.of(SEGMENT);
      }
      if (StreamKeys.manifestVersion(key).isPresent()) {
        return Optional.of(MANIFEST);
      }
      return PROBE_NAME.matcher(key).matches() ? Optional.of(Kind.PROBE) : Optional.empty();
    }
  }
}
