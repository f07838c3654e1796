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

import dev.lakestream.batch.Messages;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.StreamObject;
import java.nio.ByteBuffer;

/** The bytes of the {@code stream} object. */
final class StreamCodec {

  static final String MAGIC = "LKST";
  static final int VERSION = 1;

  private StreamCodec() {}

  static byte[] encode(StreamInfo stream) {
    return Frame.encode(
        MAGIC,
        VERSION,
        StreamObject.newBuilder()
            .setStreamId(Uuids.toBytes(stream.id()))
            .setCreatedAt(stream.createdAt())
            .setDefaultMesh(Messages.toMessage(stream.defaultMesh()))
            .setSliceFormat(stream.sliceFormat())
            .setSchema(stream.schema())
            .putAllOptions(stream.options())
            .build());
  }

  static StreamInfo decode(ByteBuffer object, String what) {
    StreamObject proto = Frame.decode(object, MAGIC, VERSION, StreamObject.parser(), what);
    return new StreamInfo(
        Uuids.fromBytes(proto.getStreamId(), what),
        proto.getCreatedAt(),
        Messages.fromMessage(proto.getDefaultMesh(), what),
        proto.getSliceFormat(),
        proto.getSchema(),
        proto.getOptionsMap());
  }
}
