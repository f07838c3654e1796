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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listings;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * The watermarks of a stream: {@code watermark/<group>/<rank>}.
 *
 * <p>Assumptions: a member is one process at a time, which writes its own object only. A write that
 * was lost, or that an older one overtook, leaves a lower step there: history is then held longer
 * than need be, and never too short.
 */
public final class Watermarks {

  /** What the names of all watermarks begin with. */
  public static final String PREFIX = "watermark/";

  /** An object larger than this is no watermark. */
  private static final int MAX_LENGTH = 64 * 1024;

  /** So many are read at once. */
  private static final int AT_ONCE = 64;

  private static final Pattern NAME =
      Pattern.compile("watermark/[A-Za-z0-9._-]{1,128}/(0|[1-9][0-9]{0,9})");

  private final TrainingStream stream;

  public Watermarks(TrainingStream stream) {
    this.stream = stream;
  }

  /** Records it in place of the member's last one, whatever that is: see {@link GroupClaim}. */
  public void write(Watermark watermark) {
    Payload content = content(watermark);
    Futures.await(stream.store().put(key(watermark.group(), watermark.rank()), content));
  }

  /** Records it if its member has recorded nothing; a retryable fault leaves the outcome open. */
  CreateOutcome create(Watermark watermark) {
    Payload content = content(watermark);
    return Futures.await(
        stream.store().createIfAbsent(key(watermark.group(), watermark.rank()), content));
  }

  private Payload content(Watermark watermark) {
    if (!watermark.streamId().equals(stream.id())) {
      throw new IllegalArgumentException(
          "A watermark of stream " + watermark.streamId() + " is not recorded in " + stream + ".");
    }
    return Payload.of(WatermarkCodec.encode(watermark));
  }

  /** The member's last one; empty if it has recorded none. */
  public Optional<Watermark> read(String group, int rank) {
    return read(key(Watermark.requireGroup(group), rank));
  }

  /** Those of the group's members that hold history ({@link GroupRule}), by rank. */
  public List<Watermark> ofGroup(String group) {
    return GroupRule.holding(membersOf(group)).stream()
        .sorted(Comparator.comparingInt(Watermark::rank))
        .toList();
  }

  /** Those of all members that ever recorded, whether they hold or not. */
  List<Watermark> membersOf(String group) {
    return under(PREFIX + Watermark.requireGroup(group) + "/");
  }

  /** Whether {@code member} holds history, as one of {@code all}. */
  public boolean holds(Watermark member, List<Watermark> all) {
    return GroupRule.holding(
            all.stream().filter(other -> other.group().equals(member.group())).toList())
        .contains(member);
  }

  /** Those of all groups, ranks and generations, by name. */
  public List<Watermark> all() {
    return under(PREFIX);
  }

  /**
   * The same, and of each group that is listed also the members that are not: a listing may be old,
   * a read is not. For who decides what may be deleted.
   */
  List<Watermark> allByName() {
    List<Watermark> found = new ArrayList<>(all());
    Map<String, Integer> worlds = new TreeMap<>();
    Set<String> known = new HashSet<>();
    for (Watermark member : found) {
      worlds.merge(member.group(), member.worldSize(), Math::max);
      known.add(key(member.group(), member.rank()));
    }
    List<String> missing = new ArrayList<>();
    worlds.forEach(
        (group, world) -> {
          for (int rank = 0; rank < world; rank++) {
            if (!known.contains(key(group, rank))) {
              missing.add(key(group, rank));
            }
          }
        });
    found.addAll(readAll(missing));
    return found;
  }

  /**
   * Records {@code step} as the position of the whole group, in place of all its members: they hold
   * nothing any more until they record again, in a higher generation. The name stays with the kind
   * of consumers that has it.
   *
   * @throws TrimmedException if the step has been reclaimed
   * @throws LakestreamException if the stream has not come so far
   */
  public Watermark set(String group, long step) {
    Manifest head = stream.log().newest();
    if (step < head.firstStep()) {
      throw new TrimmedException(stream.id(), step, head.firstStep());
    }
    if (step > head.nextStep()) {
      throw new LakestreamException(
          "No consumer stands at step "
              + step
              + ": "
              + stream
              + " ends at "
              + head.nextStep()
              + ".");
    }
    List<Watermark> members = membersOf(group);
    long newest = members.stream().mapToLong(Watermark::generation).max().orElse(0);
    boolean alone = members.stream().allMatch(member -> member.worldSize() == 1);
    long generation = alone ? newest : newest + 1;
    boolean ofSource =
        !members.isEmpty()
            && members.stream().allMatch(member -> member.kind() == Watermark.Kind.FLINK_SOURCE);
    Optional<Mesh> mesh = members.stream().flatMap(member -> member.mesh().stream()).findFirst();
    Watermark watermark =
        new Watermark(
            stream.id(),
            group,
            0,
            1,
            generation,
            head.version(),
            step,
            mesh,
            stream.time().currentTimeMillis(),
            ofSource ? Watermark.Kind.FLINK_SOURCE : Watermark.Kind.RANK,
            List.of(),
            generation);
    write(watermark);
    return watermark;
  }

  /**
   * Forgets the group: it holds nothing any more. A member that is still at work records itself
   * again with its next checkpoint.
   *
   * @return how many members had recorded
   */
  public int drop(String group) {
    List<String> keys = keys(PREFIX + Watermark.requireGroup(group) + "/");
    keys.stream().map(stream.store()::delete).toList().forEach(Futures::await);
    return keys.size();
  }

  private List<Watermark> under(String prefix) {
    return readAll(keys(prefix));
  }

  private List<Watermark> readAll(List<String> keys) {
    List<Watermark> found = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += AT_ONCE) {
      keys.subList(from, Math.min(keys.size(), from + AT_ONCE)).stream()
          .map(this::request)
          .toList()
          .forEach(read -> read.await().ifPresent(found::add));
    }
    return found;
  }

  /** Names that no member has are foreign: neither read nor deleted. */
  private List<String> keys(String prefix) {
    List<String> found = new ArrayList<>();
    Listings.forEach(
        stream.store(),
        prefix,
        entry -> {
          if (NAME.matcher(entry.key()).matches()) {
            found.add(entry.key());
          }
        });
    return found;
  }

  /** The step from which the group goes on: its slowest member's; empty if none is recorded. */
  public OptionalLong step(String group) {
    return ofGroup(group).stream().mapToLong(Watermark::step).min();
  }

  private Optional<Watermark> read(String key) {
    return request(key).await();
  }

  private Request request(String key) {
    return new Request(key, stream.store().readSuffix(key, MAX_LENGTH));
  }

  /** A read that is under way. */
  private final class Request {
    private final String key;
    private final CompletableFuture<Suffix> answer;

    Request(String key, CompletableFuture<Suffix> answer) {
      this.key = key;
      this.answer = answer;
    }

    Optional<Watermark> await() {
      try {
        return Optional.of(decode(key, Futures.await(answer)));
      } catch (StoreException e) {
        if (e.fault() == Fault.MISSING) {
          return Optional.empty();
        }
        throw e;
      }
    }
  }

  private Watermark decode(String key, Suffix read) {
    String what = "The watermark " + stream.store().address() + "/" + key;
    if (read.offset() != 0) {
      throw new CorruptObjectException(
          what + " is no watermark: it has " + read.objectLength() + " bytes.");
    }
    Watermark watermark = WatermarkCodec.decode(read.bytes(), what);
    if (!watermark.streamId().equals(stream.id())
        || !key.equals(key(watermark.group(), watermark.rank()))) {
      throw new CorruptObjectException(
          what + " is of another stream, group or rank: " + watermark + ".");
    }
    return watermark;
  }

  private static String key(String group, int rank) {
    return PREFIX + group + "/" + rank;
  }
}
