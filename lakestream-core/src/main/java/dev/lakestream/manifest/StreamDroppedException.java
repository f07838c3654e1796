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
package dev.lakestream.manifest;

import dev.lakestream.LakestreamException;
import java.util.UUID;

/**
 * The stream is gone: it was dropped, and perhaps another one made in its place, while somebody
 * wrote or read it. Nothing can be published in it or read from it any more, and trying again does
 * not help.
 */
public class StreamDroppedException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  private StreamDroppedException(String message) {
    super(message);
  }

  private StreamDroppedException(String message, Throwable cause) {
    super(message, cause);
  }

  static StreamDroppedException deleted(UUID stream, StreamNotFoundException cause) {
    return new StreamDroppedException(
        "Stream "
            + stream
            + " is gone: it was dropped, or its objects were deleted, while it was in use. "
            + cause.getMessage()
            + " Start anew, without state of "
            + stream
            + ".",
        cause);
  }

  /**
   * @param last the manifest that ends the stream
   */
  static StreamDroppedException endedBy(Manifest last, String address) {
    return new StreamDroppedException(
        "Stream "
            + last.streamId()
            + " at "
            + address
            + " was dropped (manifest "
            + last.version()
            + "). Nothing can be written to it or read from it any more. If it is still listed, its"
            + " drop was interrupted: repeat it. To go on, create a stream and start without state"
            + " of this one.");
  }

  /**
   * @param what names the manifest that was found
   */
  static StreamDroppedException replaced(String what, UUID found, UUID wanted) {
    return new StreamDroppedException(
        what
            + " belongs to stream "
            + found
            + ", not to "
            + wanted
            + ": that one was dropped and another created in its place, or objects were copied"
            + " between streams. Start anew, without state of "
            + wanted
            + ", to use the stream that is there.");
  }
}
