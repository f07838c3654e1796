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

/** What happens when the position to be read has been reclaimed ({@code scan.on-reclaimed}). */
public enum OnReclaimed implements DescribedEnum {
  /** The job fails and is not restarted; the error names the position and the first step held. */
  FAIL("fail", "The job fails for good, naming the position and the first step still held."),
  /** The source goes on at the first step still held, and logs what it left out. */
  EARLIEST("earliest", "The source goes on at the first step still held, with a logged warning.");

  private final String name;
  private final String description;

  OnReclaimed(String name, String description) {
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
