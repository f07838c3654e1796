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

/**
 * The manifest at which a reader stands is no longer part of the stream: it slept while its
 * position was reclaimed, or stood on a manifest that never was (invariant I8). Open the stream
 * anew; steps that are still held can be read.
 */
public class ReclaimedException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  public ReclaimedException(String store, long version, String why) {
    super(
        "Manifest "
            + version
            + " of "
            + store
            + " is no longer part of the stream ("
            + why
            + "): the position was reclaimed. Open the stream at its head and seek to the step.");
  }
}
