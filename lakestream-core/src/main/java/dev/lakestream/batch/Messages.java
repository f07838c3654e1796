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
package dev.lakestream.batch;

import dev.lakestream.format.CorruptObjectException;

/** The values of this package as the format's messages, and back with checks. */
public final class Messages {

  private Messages() {}

  public static dev.lakestream.proto.Mesh toMessage(Mesh mesh) {
    return dev.lakestream.proto.Mesh.newBuilder().setDp(mesh.dp()).setCp(mesh.cp()).build();
  }

  /**
   * @param what names the object that holds the message, in errors
   * @throws CorruptObjectException if no mesh has this shape
   */
  public static Mesh fromMessage(dev.lakestream.proto.Mesh mesh, String what) {
    try {
      return new Mesh(mesh.getDp(), mesh.getCp());
    } catch (InvalidBatchException e) {
      throw new CorruptObjectException(what + " states an impossible mesh. " + e.getMessage(), e);
    }
  }

  public static dev.lakestream.proto.EventTimeRange toMessage(EventTimeRange range) {
    return dev.lakestream.proto.EventTimeRange.newBuilder()
        .setMin(range.min())
        .setMax(range.max())
        .build();
  }

  /**
   * @param what names the object that holds the message, in errors
   * @throws CorruptObjectException if its least is greater than its greatest
   */
  public static EventTimeRange fromMessage(dev.lakestream.proto.EventTimeRange range, String what) {
    try {
      return new EventTimeRange(range.getMin(), range.getMax());
    } catch (InvalidBatchException e) {
      throw new CorruptObjectException(
          what + " states an impossible range of times. " + e.getMessage(), e);
    }
  }
}
