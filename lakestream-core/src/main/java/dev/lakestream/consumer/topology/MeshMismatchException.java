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
package dev.lakestream.consumer.topology;

import dev.lakestream.LakestreamException;

/** A batch, or a cursor, of another mesh than the rank's, that its mode does not let it read. */
public class MeshMismatchException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final Refusal refusal;

  MeshMismatchException(Refusal refusal, String message) {
    super(message);
    this.refusal = refusal;
  }

  private MeshMismatchException(Refusal refusal, String message, Throwable cause) {
    super(message, cause);
    this.refusal = refusal;
  }

  /** Why it is refused. */
  public Refusal refusal() {
    return refusal;
  }

  /** The same, told where. */
  public MeshMismatchException at(String place) {
    return new MeshMismatchException(refusal, place + ": " + getMessage(), this);
  }
}
