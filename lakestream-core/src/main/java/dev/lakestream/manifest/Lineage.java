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
package dev.lakestream.manifest;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.UUID;

/**
 * A run of checkpoints whose sequences are ordered. It is born with a start that restored nothing.
 *
 * @param sequence the newest published; 0: none yet
 * @param publishedBy the owner that published it
 * @param lastCommitVersion the manifest that published it
 * @param position opaque to the stream: where a stand-alone producer resumes its input; the current
 *     lineage has one at most
 * @param nextStep one past the newest step that it published
 */
public record Lineage(
    UUID id,
    long sequence,
    Optional<UUID> publishedBy,
    long lastCommitVersion,
    ByteString position,
    long nextStep) {

  /** Every commit writes the positions of all producers: a short one serves all of them. */
  public static final int MAX_POSITION_BYTES = 4096;

  public static Lineage begin(UUID id) {
    return new Lineage(id, 0, Optional.empty(), 0, ByteString.EMPTY, 0);
  }

  Lineage withoutPosition() {
    return new Lineage(id, sequence, publishedBy, lastCommitVersion, ByteString.EMPTY, nextStep);
  }
}
