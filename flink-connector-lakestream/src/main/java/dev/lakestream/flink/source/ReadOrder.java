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
package dev.lakestream.flink.source;

import static org.apache.flink.configuration.description.TextElement.text;

import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.description.InlineElement;

/** In which order records come out ({@code scan.order}). */
public enum ReadOrder implements DescribedEnum {
  /** Any: a bundle goes to whichever reader asks first. The fastest. */
  NONE("none", "In any order: a bundle goes to whichever reader asks first. The fastest."),
  /**
   * The records of each (d, c) come in step order, from one reader: the one that owns the position
   * at the parallelism of the job. At most as many readers have work as there are slices.
   */
  SLICE(
      "slice",
      "The records of each (d, c) come in step order, always from the same reader of the job."),
  /** By step, then d, then c, then record. One reader reads everything and the others are idle. */
  GLOBAL(
      "global",
      "By step, then d, then c. One reader reads everything; the others are idle, whatever the"
          + " parallelism.");

  private final String name;
  private final String description;

  ReadOrder(String name, String description) {
    this.name = name;
    this.description = description;
  }

  @Override
  public InlineElement getDescription() {
    return text(description);
  }

  @Override
  public String toString() {
    return name;
  }
}
