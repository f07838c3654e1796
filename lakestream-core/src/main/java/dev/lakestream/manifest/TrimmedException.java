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

import dev.lakestream.LakestreamException;
import java.util.UUID;

/** A step that the stream held once and no longer holds. */
public class TrimmedException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final long firstStepHeld;

  public TrimmedException(UUID streamId, long step, long firstStepHeld) {
    super(
        "Step "
            + step
            + " of stream "
            + streamId
            + " has been reclaimed; the first step still held is "
            + firstStepHeld
            + ". Start there, or keep more history (watermarks and tags hold it).");
    this.firstStepHeld = firstStepHeld;
  }

  public long firstStepHeld() {
    return firstStepHeld;
  }
}
