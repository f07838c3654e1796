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
package dev.lakestream.assembly;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of samples that do not fill a global batch when the input ends. */
public enum RemainderPolicy {
  /**
   * A last batch, partially filled: nothing is lost, and ranks meet empty slices (by count) or
   * sequences of padding (token packing).
   */
  EMIT,
  /** They are left out, and a warning says how many: every batch is full. */
  DROP,
  /** {@link RemainderException}: the input must be a multiple of the batch. */
  FAIL;

  private static final Logger LOG = LoggerFactory.getLogger(RemainderPolicy.class);

  /**
   * Applies the policy.
   *
   * @param have how many are left, more than 0
   * @param need how many make a batch
   * @param units what they are, for messages
   * @return whether to emit them
   */
  boolean emits(long have, long need, String units) {
    String what =
        "The input ended with " + have + " of the " + need + " " + units + " of a global batch";
    return switch (this) {
      case EMIT -> true;
      case DROP -> {
        LOG.warn("{}; they are dropped (sink.remainder = drop).", what);
        yield false;
      }
      case FAIL ->
          throw new RemainderException(
              what
                  + ", and sink.remainder = fail. Nothing of it was published. Set sink.remainder"
                  + " to 'emit' (a partially filled batch) or 'drop', or let the input be a"
                  + " multiple of the batch.");
    };
  }
}
