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
package dev.lakestream.simulation;

/** What a store can do to disable one of the protocol's rules, so that the simulation must fail. */
enum Lie {
  NONE,
  /** A listing shows the manifest that was asked about, and never one behind it: no rule I8. */
  NOTHING_FOLLOWS,
  /** 412 is reported as success: as if nobody compared commit ids (I5). */
  TAKEN_IS_CREATED,
  /** If-None-Match is ignored (I6). */
  OVERWRITES,
  /** Bundles are named after a checkpoint before the one that they were opened after. */
  NAMED_TOO_EARLY,
  /** Waits take no time: whoever was asked for less comes again at once (I7). */
  NO_PATIENCE,
  /** Who asks for one bundle is sent another (I10). */
  ANOTHER_BUNDLE,
  /** An object does not stay what it was (I10). */
  CHANGES_OBJECTS
}
