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

import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermark.Kind;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.StoreException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * Records one member of a group, and never over consumers of another kind: a Flink source that
 * recorded as "train" would take the place of rank 0 of the training job "train", and let go of the
 * checkpoints that the job goes back to.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A source is rank 0 of 1. So both kinds meet at rank 0, whose first watermark is created
 *       only if it is absent: of a source and a rank 0 that begin at once, the later one finds the
 *       other and is refused.
 *   <li>A source and a rank above 0 write objects of different names. Each looks for the other
 *       before its first record and again after it, so that of two that begin at once one is
 *       refused, and perhaps both. What they have recorded stays: it holds more history than need
 *       be, until the name is dropped.
 *   <li>Before each later record a member reads its own object, and is refused if another kind has
 *       come there.
 *   <li>A group that was set by hand before anybody recorded is nobody's: either kind may go on
 *       from there.
 *   <li>What remains, since a store has no lock over two requests: where a group is dropped while a
 *       member is between reading its own object and writing it, and a member of the other kind
 *       begins in that moment, the first one's write comes last. The other finds it with its next
 *       record, and is refused then. Programs that do not look, such as older versions, are not
 *       held off, and found in the same way.
 * </ul>
 *
 * Used by one thread at a time.
 */
public final class GroupClaim {

  /** So often a create is tried of which the store does not say what became of it. */
  private static final int TRIES = 5;

  /** Who was asked for less does not come again at once (invariant I7); it doubles. */
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(50);

  private final TrainingStream stream;
  private final Watermarks watermarks;
  private final String group;
  private final Kind kind;
  private boolean alone;

  public GroupClaim(TrainingStream stream, String group, Kind kind) {
    this.stream = stream;
    this.watermarks = new Watermarks(stream);
    this.group = Watermark.requireGroup(group);
    this.kind = kind;
  }

  /** A member of another kind, if there is one. */
  public Optional<Watermark> stranger() {
    return stranger(watermarks.membersOf(group));
  }

  private Optional<Watermark> stranger(Collection<Watermark> members) {
    boolean nobodys = members.size() == 1 && members.iterator().next().setByHand();
    return nobodys
        ? Optional.empty()
        : members.stream().filter(member -> member.kind() != kind).findFirst();
  }

  /**
   * @throws GroupTakenException if one of them is of another kind
   */
  void requireFree(Collection<Watermark> members) {
    stranger(members).ifPresent(this::refuse);
  }

  private void refuse(Watermark stranger) {
    throw new GroupTakenException(stream, kind, stranger);
  }

  /**
   * Records it in place of the member's last one.
   *
   * @throws GroupTakenException if the group is of another kind; its watermarks are as they were
   */
  public void record(Watermark next) {
    if (!alone) {
      requireFree(watermarks.membersOf(group));
    }
    record(watermarks.read(group, next.rank()), next);
  }

  /**
   * The same, of a member that has just read its own last one, and all members before its first.
   */
  void record(Optional<Watermark> mine, Watermark next) {
    if (mine.isPresent()) {
      requireOwn(mine.get());
      watermarks.write(next);
    } else {
      create(next);
    }
    if (!alone) {
      requireAlone(next.rank());
    }
  }

  private void requireOwn(Watermark there) {
    if (there.kind() != kind && !there.setByHand()) {
      refuse(there);
    }
  }

  /** A rank can be disturbed by rank 0 only, a source by every rank. */
  private void requireAlone(int rank) {
    if (kind == Kind.FLINK_SOURCE) {
      requireFree(watermarks.membersOf(group));
    } else if (rank != 0) {
      watermarks.read(group, 0).ifPresent(this::requireOwn);
    }
    alone = true;
  }

  /** Whoever does not know what became of its create reads what is there. */
  private void create(Watermark first) {
    for (int left = TRIES; ; left--) {
      Optional<StoreException> lost = Optional.empty();
      try {
        if (watermarks.create(first) == CreateOutcome.CREATED) {
          return;
        }
      } catch (StoreException e) {
        if (!e.fault().retryable()) {
          throw e;
        }
        lost = Optional.of(e);
      }
      Optional<Watermark> there = watermarks.read(group, first.rank());
      if (there.isPresent()) {
        requireOwn(there.get());
        watermarks.write(first);
        return;
      }
      if (left == 1) {
        throw lost.orElseGet(
            () ->
                new StoreException(
                    Fault.TRANSIENT,
                    "The store could not decide on the first watermark of group \""
                        + group
                        + "\" of "
                        + stream
                        + "; try again."));
      }
      stream.time().sleep(FIRST_BACKOFF.multipliedBy(1L << (TRIES - left)));
    }
  }
}
