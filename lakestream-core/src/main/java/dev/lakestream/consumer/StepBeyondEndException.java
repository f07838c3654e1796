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
package dev.lakestream.consumer;

import dev.lakestream.LakestreamException;

/** A step that no producer has published yet, and that is not the next one either. */
public class StepBeyondEndException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final long nextStep;

  StepBeyondEndException(String stream, long step, long nextStep, long version) {
    super(
        "Step "
            + step
            + " of "
            + stream
            + " does not exist yet: the next one to be published is "
            + nextStep
            + " (manifest "
            + version
            + "). Seek to a step up to "
            + nextStep
            + "; a reader that stands there waits for it.");
    this.nextStep = nextStep;
  }

  /** One past the newest step that exists. */
  public long nextStep() {
    return nextStep;
  }
}
