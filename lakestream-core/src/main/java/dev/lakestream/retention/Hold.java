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

import java.time.Instant;

/**
 * What holds history back, from a step on.
 *
 * @param kind a group of consumers, or a tag
 * @param name of the group or tag
 * @param rank the slowest member of the group; -1: a tag
 * @param generation of that member; -1: a tag
 * @param step nothing from it on may be reclaimed
 * @param updatedAt when it was recorded, for people
 */
public record Hold(Kind kind, String name, int rank, long generation, long step, long updatedAt) {

  /** Who holds. */
  public enum Kind {
    GROUP,
    TAG
  }

  static Hold of(Watermark slowest) {
    return new Hold(
        Kind.GROUP,
        slowest.group(),
        slowest.rank(),
        slowest.generation(),
        slowest.step(),
        slowest.updatedAt());
  }

  static Hold of(Tag tag) {
    return new Hold(Kind.TAG, tag.name(), -1, -1, tag.firstStep(), tag.createdAt());
  }

  /** For messages. */
  @Override
  public String toString() {
    return kind == Kind.TAG
        ? "tag \"" + name + "\" (from step " + step + " on)"
        : "rank "
            + rank
            + " of group \""
            + name
            + "\" (generation "
            + generation
            + ", at step "
            + step
            + " since "
            + Instant.ofEpochMilli(updatedAt)
            + ")";
  }
}
