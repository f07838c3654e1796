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

import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.ForeignCursorException;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.retention.Watermark.Kept;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Records for one rank of a training job what reclamation must leave: the cursors of the newest n
 * model checkpoints, the oldest of which is the rank's watermark.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A rank is one process at a time. One that was left over from an older generation finds the
 *       newer one recorded, and is refused ({@link SupersededException}).
 *   <li>The kept cursors are in the watermark itself, so that a restart knows them. A new
 *       generation inherits those of the one before: its checkpoints can still be restored.
 *   <li>A write that is lost leaves an older watermark, which holds history longer; the next
 *       checkpoint records again.
 *   <li>Nobody else records under the group's name: see {@link GroupClaim}.
 *   <li>Between the choice of where to start and {@link #register} the start may be reclaimed:
 *       {@code register} looks at the trim after it has recorded, and says so.
 * </ul>
 *
 * Used by one thread at a time.
 */
public final class RankRecorder {

  private final TrainingStream stream;
  private final Watermarks watermarks;
  private final GroupClaim claim;
  private final String group;
  private final int rank;
  private final int worldSize;
  private final long generation;
  private final int keep;
  private List<Kept> kept;
  private long settled;

  /**
   * @param generation more than that of any earlier number of ranks; the same for a restart with
   *     the same number
   * @param keep so many of the newest checkpoints stay restorable, 1 or more
   */
  public RankRecorder(
      TrainingStream stream, String group, int rank, int worldSize, long generation, int keep) {
    if (keep < 1 || keep > Watermark.MAX_KEPT) {
      throw new IllegalArgumentException(
          "A rank keeps 1 to " + Watermark.MAX_KEPT + " checkpoints, not " + keep + ".");
    }
    this.stream = stream;
    this.watermarks = new Watermarks(stream);
    this.claim = new GroupClaim(stream, group, Watermark.Kind.RANK);
    this.group = group;
    this.rank = rank;
    this.worldSize = worldSize;
    this.generation = generation;
    this.keep = keep;
  }

  /**
   * To be called at the start, before anything is read: holds the stream from {@code start} on, and
   * what older kept checkpoints need. Those behind {@code start} are an abandoned branch.
   *
   * @throws TrimmedException if the start is reclaimed
   * @throws GroupTakenException if the group is that of a Flink source
   */
  public Watermark register(Cursor start) {
    requireHeld(start, stream.log().newest());
    return record(start, true);
  }

  private void requireHeld(Cursor start, Manifest head) {
    if (start.step() < head.firstStep()) {
      throw new TrimmedException(stream.id(), start.step(), head.firstStep());
    }
  }

  /** To be called after a model checkpoint is complete, with the cursor that is in it. */
  public Watermark record(Cursor checkpoint) {
    return record(checkpoint, false);
  }

  private Watermark record(Cursor cursor, boolean start) {
    if (!cursor.streamId().equals(stream.id())) {
      throw new ForeignCursorException(
          "The cursor " + cursor + " is of another stream than " + stream + ".");
    }
    Optional<Watermark> mine = requireCurrent();
    if (kept == null) {
      List<Watermark> members = watermarks.membersOf(group);
      claim.requireFree(members);
      settled = Math.min(generation, GroupRule.settled(members));
      kept = remembered(mine, members);
    }
    List<Kept> now = new ArrayList<>(kept);
    now.removeIf(one -> one.step() >= cursor.step());
    now.add(new Kept(cursor.version(), cursor.step()));
    if (now.size() > keep) {
      now = now.subList(now.size() - keep, now.size());
    }
    Watermark recorded =
        new Watermark(
            stream.id(),
            group,
            rank,
            worldSize,
            generation,
            now.get(0).version(),
            now.get(0).step(),
            Optional.of(cursor.mesh()),
            stream.time().currentTimeMillis(),
            Watermark.Kind.RANK,
            now,
            settled);
    claim.record(mine, recorded);
    if (start) {
      requireHeld(cursor, stream.log().newest());
    }
    kept = recorded.kept();
    return recorded;
  }

  /** The checkpoints that stay restorable, in step order; none before the first call. */
  public List<Kept> kept() {
    return kept == null ? List.of() : kept;
  }

  private Optional<Watermark> requireCurrent() {
    Optional<Watermark> stored = watermarks.read(group, rank);
    stored.ifPresent(
        other -> {
          if (other.generation() > generation) {
            throw new SupersededException(
                me()
                    + " is left over: another process has recorded as this rank in generation "
                    + other.generation()
                    + ". Stop this one; or, if it is the newer one, start it with a higher"
                    + " generation.");
          }
          if (other.generation() == generation && other.worldSize() != worldSize) {
            throw new SupersededException(
                me()
                    + " is one of "
                    + worldSize
                    + ", and has been recorded as one of "
                    + other.worldSize()
                    + " in the same generation. Start a world of another size with a higher"
                    + " generation.");
          }
        });
    return stored;
  }

  private String me() {
    return "Rank "
        + rank
        + " of group \""
        + group
        + "\", generation "
        + generation
        + ", of "
        + stream;
  }

  /** What was kept before this process, as far as it is still there. */
  private List<Kept> remembered(Optional<Watermark> mine, List<Watermark> members) {
    List<Watermark> sources =
        mine.filter(stored -> stored.generation() == generation)
            .map(List::of)
            .orElseGet(() -> GroupRule.holding(members));
    long firstStep = stream.log().newest().firstStep();
    TreeMap<Long, Kept> byStep = new TreeMap<>();
    sources.stream()
        .flatMap(source -> source.restorable().stream())
        .filter(one -> one.step() >= firstStep)
        .forEach(one -> byStep.put(one.step(), one));
    return List.copyOf(byStep.values());
  }
}
