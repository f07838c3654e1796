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
package dev.lakestream.flink.source;

import dev.lakestream.LakestreamException;

/** The source's position, or what a reader was about to read, is no longer in the stream. */
public class PositionReclaimedException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final long step;
  private final long firstStepHeld;

  PositionReclaimedException(String stream, long step, long firstStepHeld) {
    super(
        "The source stands at step "
            + step
            + " of "
            + stream
            + ", which has been reclaimed; the first step still held is "
            + firstStepHeld
            + ". Set 'scan.on-reclaimed' to 'earliest' to go on there without the steps between, or"
            + " start anew; 'scan.consumer-group' keeps history from being reclaimed under a job.");
    this.step = step;
    this.firstStepHeld = firstStepHeld;
  }

  /** Where the source stood. */
  public long step() {
    return step;
  }

  public long firstStepHeld() {
    return firstStepHeld;
  }
}
