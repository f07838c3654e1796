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
package dev.lakestream.commit;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.Lineage;
import java.util.List;
import java.util.UUID;

/**
 * Bundles that are to become visible together.
 *
 * @param producerId the producer
 * @param owner the submission that publishes
 * @param lineage in which the sequence counts
 * @param takenBy the owner that took the checkpoint behind it; the same as {@code owner} unless it
 *     was restored
 * @param sequence of the lineage, 1 or more (Flink: the checkpoint id)
 * @param bundles in the order of their steps; at least one
 * @param position where the producer resumes its input, opaque; empty: not used
 * @param restored whether the bundles come out of restored state, and are to be checked before they
 *     are published
 */
public record Publication(
    String producerId,
    UUID owner,
    UUID lineage,
    UUID takenBy,
    long sequence,
    List<StagedBundle> bundles,
    ByteString position,
    boolean restored) {

  public Publication {
    bundles = List.copyOf(bundles);
    if (sequence < 1) {
      throw new IllegalArgumentException("Sequences begin at 1: " + sequence);
    }
    if (bundles.isEmpty()) {
      throw new IllegalArgumentException(
          "An empty checkpoint makes no manifest: nothing to publish.");
    }
    if (position.size() > Lineage.MAX_POSITION_BYTES) {
      throw new IllegalArgumentException(
          "A position of "
              + position.size()
              + " bytes; at most "
              + Lineage.MAX_POSITION_BYTES
              + " fit a manifest. Store it elsewhere and keep a reference.");
    }
  }
}
