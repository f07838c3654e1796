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
package dev.lakestream.store;

/**
 * The answers of a conditional create. A fault with {@link Fault#retryable()} instead means:
 * outcome unknown.
 */
public enum CreateOutcome {
  /** The key was free and now holds the content. */
  CREATED,
  /**
   * The key was taken when the store looked (HTTP 412). By whom is for the caller to read: it may
   * be the caller's own earlier request whose reply was lost.
   */
  EXISTS,
  /**
   * The store could not decide (HTTP 409, a concurrent request on the key): nothing was stored, try
   * again.
   */
  TRY_AGAIN
}
