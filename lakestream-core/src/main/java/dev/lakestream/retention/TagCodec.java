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
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.TagObject;
import java.nio.ByteBuffer;

/** The bytes of a tag object. */
final class TagCodec {

  static final String MAGIC = "LKSG";
  static final int VERSION = 1;

  private TagCodec() {}

  static byte[] encode(Tag tag) {
    return Frame.encode(
        MAGIC,
        VERSION,
        TagObject.newBuilder()
            .setStreamId(Uuids.toBytes(tag.streamId()))
            .setName(tag.name())
            .setFirstStep(tag.firstStep())
            .setNextStep(tag.nextStep())
            .setCreatedAt(tag.createdAt())
            .setComment(tag.comment())
            .build());
  }

  static Tag decode(ByteBuffer object, String what) {
    TagObject message = Frame.decode(object, MAGIC, VERSION, TagObject.parser(), what);
    try {
      return new Tag(
          Uuids.fromBytes(message.getStreamId(), what),
          message.getName(),
          message.getFirstStep(),
          message.getNextStep(),
          message.getCreatedAt(),
          message.getComment());
    } catch (IllegalArgumentException e) {
      throw new CorruptObjectException(what + " states what cannot be. " + e.getMessage(), e);
    }
  }
}
