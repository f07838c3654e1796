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

import dev.lakestream.LakestreamException;
import java.util.Optional;

/** Consumers did not come nearer to a producer that has to wait for them (DESIGN section 4.3). */
public class LagTimeoutException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private final transient Hold slowest;

  LagTimeoutException(String message, Hold slowest) {
    super(message);
    this.slowest = slowest;
  }

  /** Who is behind; empty: no consumer has recorded where it stands. */
  public Optional<Hold> slowest() {
    return Optional.ofNullable(slowest);
  }
}
