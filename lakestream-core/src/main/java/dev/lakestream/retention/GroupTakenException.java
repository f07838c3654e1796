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
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Watermark.Kind;

/**
 * The name of a group is that of consumers of another kind: nothing was recorded over their
 * watermarks, which say what they must still be able to read.
 */
public class GroupTakenException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  /**
   * @param wanted what was to record under the name
   * @param found who has it
   */
  public GroupTakenException(TrainingStream stream, Kind wanted, Watermark found) {
    super(
        "Group \""
            + found.group()
            + "\" of "
            + stream
            + " is that of "
            + text(found.kind())
            + ", which has recorded as rank "
            + found.rank()
            + " of "
            + found.worldSize()
            + " at step "
            + found.step()
            + ": "
            + text(wanted)
            + " does not record under its name, since that would let history go that the group may"
            + " still need. Choose another name (of a source: 'scan.consumer-group'); or, if nobody"
            + " goes back to what the group keeps, drop it first: lakestream watermarks PATH --drop "
            + found.group()
            + ".");
  }

  private static String text(Kind kind) {
    return switch (kind) {
      case RANK -> "a training job (RANK)";
      case FLINK_SOURCE -> "a Flink source (FLINK_SOURCE)";
    };
  }
}
