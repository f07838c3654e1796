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

/**
 * Something that a verification came upon.
 *
 * @param severity whether the stream is damaged
 * @param check what was being checked
 * @param object the key it is about, relative to the stream; empty: none in particular
 * @param message for people
 */
public record Finding(Severity severity, Check check, String object, String message) {

  /** Whether the stream is damaged. */
  public enum Severity {
    /** Expected now and then, and harmless: leftovers, foreign objects. */
    NOTE,
    /** The stream does not hold what it promises. */
    ERROR
  }

  /** What is checked. */
  public enum Check {
    /** Manifests: readable, contiguous to the head, each naming its parent (I1, I6, I9). */
    MANIFESTS,
    /** A manifest is its parent with its delta applied, and shows what the parent showed (I3). */
    PREFIX,
    /** Producers' sequences: in order in each lineage, each published once (I2). */
    PRODUCERS,
    /** Segments: reachable, intact, and what their references say. */
    SEGMENTS,
    /** Descriptors: dense in steps and rows, each bundle referenced once (I1, I2). */
    DESCRIPTORS,
    /** Bundles: there, as long as described, every checksum right (I4). */
    BUNDLES,
    /** Objects that no manifest leads to. */
    OBJECTS
  }

  static Finding error(Check check, String object, String message) {
    return new Finding(Severity.ERROR, check, object, message);
  }

  static Finding note(Check check, String object, String message) {
    return new Finding(Severity.NOTE, check, object, message);
  }
}
