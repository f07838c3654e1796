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

/** What a reader waits for, or does: so that a slow step is blamed on the right one. */
public enum Stage {
  /** A producer: the stream does not hold the next step yet. */
  NEW_STEP("a producer to publish it"),
  /** The store, asked for newer manifests. */
  MANIFEST("the store's answer about newer manifests"),
  /** The store, asked which bundle holds the step. */
  LOOKUP("the segments that say which bundle holds it"),
  /** The store, asked for the slices of a bundle. */
  FETCH("its bytes"),
  /** This process: verifying and decompressing. */
  DECODE("its decoding"),
  /** The caller, between two calls. */
  CONSUMER("the caller");

  private final String awaited;

  Stage(String awaited) {
    this.awaited = awaited;
  }

  /** As in "waiting for …". */
  String awaited() {
    return awaited;
  }
}
