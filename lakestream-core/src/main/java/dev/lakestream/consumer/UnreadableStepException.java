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

/**
 * A step that the stream holds and that cannot be read: its bundle is damaged or gone, or the store
 * refuses it. The cause is the failure itself, with its type. The reader stands before the step and
 * reads it again when asked again; {@code seek} passes over it.
 */
public class UnreadableStepException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final long step;

  UnreadableStepException(long step, String message, Throwable cause) {
    super(message, cause);
    this.step = step;
  }

  public long step() {
    return step;
  }
}
