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

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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

  private static final int PAGE = 1000;

  private final TrainingStream stream;

  public Watermarks(TrainingStream stream) {
    this.stream = stream;
  }

  /** Records it in place of the member's last one. */
  public void write(Watermark watermark) {
    if (!watermark.streamId().equals(stream.id())) {
      throw new IllegalArgumentException(
          "A watermark of stream " + watermark.streamId() + " is not recorded in " + stream + ".");
    }
    byte[] bytes = WatermarkCodec.encode(watermark);
    Futures.await(stream.store().put(key(watermark.group(), watermark.rank()), Payload.of(bytes)));
  }

  /** The member's last one; empty if it has recorded none. */
  public Optional<Watermark> read(String group, int rank) {
    return read(key(Watermark.requireGroup(group), rank));
  }

  /** Those of all members of the group's newest generation, by rank. */
  public List<Watermark> ofGroup(String group) {
    List<Watermark> found = under(PREFIX + Watermark.requireGroup(group) + "/");
    long newest = found.stream().mapToLong(Watermark::generation).max().orElse(0);
    found.removeIf(watermark -> watermark.generation() < newest);
    found.sort((a, b) -> Integer.compare(a.rank(), b.rank()));
    return found;
  }

  /** Those of all groups, ranks and generations, by name. */
  public List<Watermark> all() {
    return under(PREFIX);
  }

  private List<Watermark> under(String prefix) {
    List<Watermark> found = new ArrayList<>();
    String last = "";
    boolean more = true;
    while (more) {
      Listing page = Futures.await(stream.store().list(prefix, last, PAGE));
      for (Listing.Entry entry : page.objects()) {
        read(entry.key()).ifPresent(found::add);
        last = entry.key();
      }
      more = page.truncated() && !page.objects().isEmpty();
    }
    return found;
  }

  /** The step from which the group goes on: its slowest member's; empty if none is recorded. */
  public OptionalLong step(String group) {
    return ofGroup(group).stream().mapToLong(Watermark::step).min();
  }

  private Optional<Watermark> read(String key) {
    String what = "The watermark " + stream.store().address() + "/" + key;
    try {
      int length = (int) Math.min(MAX_LENGTH, Futures.await(stream.store().length(key)));
      ByteBuffer bytes = Futures.await(stream.store().read(key, 0, length));
      Watermark watermark = WatermarkCodec.decode(bytes, what);
      if (!watermark.streamId().equals(stream.id())
          || !key.equals(key(watermark.group(), watermark.rank()))) {
        throw new CorruptObjectException(
            what + " is of another stream, group or rank: " + watermark + ".");
      }
      return Optional.of(watermark);
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static String key(String group, int rank) {
    return PREFIX + group + "/" + rank;
  }
}
