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
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * W_global ([L] section 4): the lowest step that anything may still ask for, and who that is. The
 * minimum over all groups, the ranks of each, and all tags.
 *
 * @param groups what each group holds, by its slowest member, in order of names
 * @param tags what each tag holds
 */
public record GlobalWatermark(List<Hold> groups, List<Hold> tags) {

  private static final Comparator<Hold> BY_STEP = Comparator.comparingLong(Hold::step);

  public GlobalWatermark {
    groups = List.copyOf(groups);
    tags = List.copyOf(tags);
  }

  /** The same from what is recorded, as a pure function. */
  public static GlobalWatermark of(Collection<Watermark> watermarks, Collection<Tag> tags) {
    Map<String, List<Watermark>> byGroup = new TreeMap<>();
    for (Watermark watermark : watermarks) {
      byGroup.computeIfAbsent(watermark.group(), any -> new ArrayList<>()).add(watermark);
    }
    List<Hold> groups = new ArrayList<>();
    for (List<Watermark> members : byGroup.values()) {
      GroupRule.holding(members).stream()
          .min(Comparator.comparingLong(Watermark::step).thenComparing(Watermark::rank))
          .map(Hold::of)
          .ifPresent(groups::add);
    }
    return new GlobalWatermark(groups, tags.stream().map(Hold::of).toList());
  }

  /** As it stands in the store: a listing of each, and a read of each object. */
  public static GlobalWatermark read(TrainingStream stream) {
    return of(new Watermarks(stream).allByName(), new Tags(stream).all());
  }

  /** The step; empty: nothing is recorded, so that nobody knows what may go. */
  public OptionalLong step() {
    return lowest().stream().mapToLong(Hold::step).findFirst();
  }

  /** What holds the most; empty: nothing does. */
  public Optional<Hold> lowest() {
    Optional<Hold> tag = tags.stream().min(BY_STEP);
    return slowest()
        .filter(group -> tag.isEmpty() || group.step() <= tag.get().step())
        .or(() -> tag);
  }

  /** The consumer that is furthest behind; a tag is none. */
  public Optional<Hold> slowest() {
    return groups.stream().min(BY_STEP);
  }
}
