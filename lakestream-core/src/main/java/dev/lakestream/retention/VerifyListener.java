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

/** Hears what a verification finds, while it runs. Calls come one at a time, from any thread. */
public interface VerifyListener {

  /** Hears nothing. */
  VerifyListener NONE = new VerifyListener() {};

  default void found(Finding finding) {}

  /**
   * @param done so many of {@code total} manifests, bundles or objects
   * @param total 0: not known
   */
  default void progress(Finding.Check check, long done, long total) {}
}
