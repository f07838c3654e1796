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

import dev.lakestream.batch.Mesh;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Where one member of a group of consumers stands: nothing from its step on may be reclaimed.
 *
 * @param streamId refused by every other stream (invariant I10)
 * @param group letters, digits, '.', '_' and '-', 128 at most
 * @param rank of the member, from 0 to below {@code worldSize}
 * @param generation counts the worlds of the group: {@link GroupRule} says which of them hold
 * @param version a manifest that holds the step, or that ends where it begins
 * @param step the oldest one that the member may still ask for
 * @param mesh that the member reads with; empty: it depends on none
 * @param updatedAt for people
 * @param kept checkpoints that the member may go back to, in step order; empty: it does not say
 * @param settled a generation up to {@code generation} that was complete once: those below hold
 *     nothing, though the objects that proved it have been overwritten
 */
public record Watermark(
    UUID streamId,
    String group,
    int rank,
    int worldSize,
    long generation,
    long version,
    long step,
    Optional<Mesh> mesh,
    long updatedAt,
    Kind kind,
    List<Kept> kept,
    long settled) {

  /** So many checkpoints a member can keep: their cursors go into its watermark. */
  public static final int MAX_KEPT = 1024;

  private static final Pattern GROUP = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  /** Who recorded it, and when it does so. */
  public enum Kind {
    /** A rank of a training job, after a model checkpoint. */
    RANK,
    /** A Flink source, after a checkpoint: the only member of its group. */
    FLINK_SOURCE
  }

  /**
   * Where a checkpoint stands that can be restored.
   *
   * @param version a manifest that holds the step, or that ends where it begins
   * @param step the first one to be read after the restore
   */
  public record Kept(long version, long step) {}

  /** Of a member that keeps no more than what it records. */
  public Watermark(
      UUID streamId,
      String group,
      int rank,
      int worldSize,
      long generation,
      long version,
      long step,
      Optional<Mesh> mesh,
      long updatedAt,
      Kind kind) {
    this(
        streamId,
        group,
        rank,
        worldSize,
        generation,
        version,
        step,
        mesh,
        updatedAt,
        kind,
        List.of(),
        0);
  }

  public Watermark {
    kept = List.copyOf(kept);
    requireGroup(group);
    if (worldSize < 1 || rank < 0 || rank >= worldSize) {
      throw new IllegalArgumentException(
          "Rank " + rank + " of group \"" + group + "\", which has " + worldSize + " members.");
    }
    if (generation < 0 || version < 0 || step < 0) {
      throw new IllegalArgumentException(
          "No member of group \""
              + group
              + "\" stands at manifest "
              + version
              + ", step "
              + step
              + ", generation "
              + generation
              + ".");
    }
    if (settled < 0 || settled > generation) {
      throw new IllegalArgumentException(
          "A member of generation " + generation + " cannot know of " + settled + ".");
    }
    if (kept.size() > MAX_KEPT) {
      throw new IllegalArgumentException(
          "A member keeps at most " + MAX_KEPT + " checkpoints, not " + kept.size() + ".");
    }
    long least = step;
    for (Kept one : kept) {
      if (one.step < least || one.version < 0) {
        throw new IllegalArgumentException(
            "Checkpoints kept by a member must be in step order, from its watermark on: " + kept);
      }
      least = one.step;
    }
  }

  /** What the member may go back to: at least where it stands. */
  List<Kept> restorable() {
    return kept.isEmpty() ? List.of(new Kept(version, step)) : kept;
  }

  /** Whether {@link Watermarks#set} began the group with it, and no member has recorded since. */
  boolean setByHand() {
    return kind == Kind.RANK && worldSize == 1 && mesh.isEmpty() && kept.isEmpty();
  }

  /** The name itself, if it can be part of a key in every store. */
  public static String requireGroup(String group) {
    if (!GROUP.matcher(group).matches() || group.equals(".") || group.equals("..")) {
      throw new IllegalArgumentException(
          "\""
              + group
              + "\" cannot be the name of a group: 1 to 128 letters, digits, '.', '_' and '-'.");
    }
    return group;
  }
}
