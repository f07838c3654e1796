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

/** The memory for bytes that are under way or not yet emitted. Thread-safe. */
final class FetchBudget {

  private final long limit;
  private final Signal changed;
  private long used;

  /**
   * @param changed given whenever something is released
   */
  FetchBudget(long limit, Signal changed) {
    this.limit = limit;
    this.changed = changed;
  }

  /** Whether they were granted: if they fit, or if nothing else is held. */
  synchronized boolean take(long bytes) {
    if (used > 0 && bytes > limit - used) {
      return false;
    }
    used += bytes;
    return true;
  }

  void release(long bytes) {
    synchronized (this) {
      used -= bytes;
    }
    changed.give();
  }
}
