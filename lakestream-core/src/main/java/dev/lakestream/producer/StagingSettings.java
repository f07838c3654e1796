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
package dev.lakestream.producer;

import dev.lakestream.batch.Compression;

/**
 * How batches become bundles in the store.
 *
 * @param maxSteps K: so many steps a bundle at most; more steps make fewer and longer reads
 * @param targetBytes a bundle is closed when it holds so many
 * @param bufferBytes what one stager holds in memory at most, open bundle and uploads together; a
 *     single batch may exceed it alone
 * @param uploads so many at once at most
 * @param compression of each slice
 */
public record StagingSettings(
    int maxSteps, long targetBytes, long bufferBytes, int uploads, Compression compression) {

  /**
   * Wide meshes decide: of 128 ranks with slices of 100 KB a bundle holds 20 steps, so that a rank
   * asks a tenth of a request a step, footers included ([A]: requests bound small reads).
   */
  public static final StagingSettings DEFAULT =
      new StagingSettings(32, 256L << 20, 512L << 20, 4, Compression.NONE);

  public StagingSettings {
    require(maxSteps >= 1 && maxSteps <= 65_536, "steps of a bundle: 1 to 65536, not " + maxSteps);
    require(targetBytes >= 1, "target size of a bundle: 1 or more bytes, not " + targetBytes);
    require(
        bufferBytes >= targetBytes,
        "buffer memory ("
            + bufferBytes
            + " bytes) must hold one bundle ("
            + targetBytes
            + " bytes)");
    require(uploads >= 1, "parallel uploads: 1 or more, not " + uploads);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("Staging: " + message + ".");
    }
  }
}
