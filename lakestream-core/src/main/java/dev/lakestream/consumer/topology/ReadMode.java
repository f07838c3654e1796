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

/**
 * What a consumer step is: what all ranks of a job read at once. The choice changes what an
 * optimiser step sees, so it is never made silently.
 */
public enum ReadMode {
  /** A step of the stream, for the mesh that it was written for; any other mesh is refused. */
  EXACT("exact"),
  /** D' rows of the stream: the global batch grows and shrinks with the number of replicas. */
  ROWS("rows"),
  /** A step of the stream, its records split evenly over D': the global batch stays what it is. */
  BATCH("batch");

  private final String label;

  ReadMode(String label) {
    this.label = label;
  }

  /** As in a cursor: 0, 1, 2. */
  public int code() {
    return ordinal();
  }

  /** The inverse of {@link #code}; null if there is no such mode. */
  public static ReadMode ofCode(int code) {
    return code >= 0 && code < values().length ? values()[code] : null;
  }

  /** The inverse of {@link #toString}; null if there is no such mode. */
  public static ReadMode ofName(String name) {
    for (ReadMode mode : values()) {
      if (mode.label.equals(name)) {
        return mode;
      }
    }
    return null;
  }

  /** As people write it. */
  @Override
  public String toString() {
    return label;
  }
}
