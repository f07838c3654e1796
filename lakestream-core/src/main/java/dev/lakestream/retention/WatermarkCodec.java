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

import dev.lakestream.batch.Messages;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.KeptCursor;
import dev.lakestream.proto.WatermarkKind;
import dev.lakestream.proto.WatermarkObject;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The bytes of a watermark object. */
final class WatermarkCodec {

  static final String MAGIC = "LKSW";
  static final int VERSION = 1;

  private WatermarkCodec() {}

  static byte[] encode(Watermark watermark) {
    WatermarkObject.Builder message =
        WatermarkObject.newBuilder()
            .setStreamId(Uuids.toBytes(watermark.streamId()))
            .setGroup(watermark.group())
            .setRank(watermark.rank())
            .setWorldSize(watermark.worldSize())
            .setGeneration(watermark.generation())
            .setVersion(watermark.version())
            .setStep(watermark.step())
            .setUpdatedAt(watermark.updatedAt())
            .setSettledGeneration(watermark.settled())
            .setKind(
                switch (watermark.kind()) {
                  case RANK -> WatermarkKind.RANK;
                  case FLINK_SOURCE -> WatermarkKind.FLINK_SOURCE;
                });
    watermark.mesh().map(Messages::toMessage).ifPresent(message::setMesh);
    for (Watermark.Kept kept : watermark.kept()) {
      message.addKept(
          KeptCursor.newBuilder().setVersion(kept.version()).setStep(kept.step()).build());
    }
    return Frame.encode(MAGIC, VERSION, message.build());
  }

  static Watermark decode(ByteBuffer object, String what) {
    WatermarkObject message = Frame.decode(object, MAGIC, VERSION, WatermarkObject.parser(), what);
    try {
      return new Watermark(
          Uuids.fromBytes(message.getStreamId(), what),
          message.getGroup(),
          message.getRank(),
          message.getWorldSize(),
          message.getGeneration(),
          message.getVersion(),
          message.getStep(),
          message.hasMesh()
              ? Optional.of(Messages.fromMessage(message.getMesh(), what))
              : Optional.empty(),
          message.getUpdatedAt(),
          kind(message.getKind(), what),
          message.getKeptList().stream()
              .map(kept -> new Watermark.Kept(kept.getVersion(), kept.getStep()))
              .toList(),
          message.getSettledGeneration());
    } catch (IllegalArgumentException e) {
      throw new CorruptObjectException(what + " states what cannot be. " + e.getMessage(), e);
    }
  }

  private static Watermark.Kind kind(WatermarkKind kind, String what) {
    return switch (kind) {
      case RANK -> Watermark.Kind.RANK;
      case FLINK_SOURCE -> Watermark.Kind.FLINK_SOURCE;
      default -> throw new CorruptObjectException(what + " is of kind " + kind + ".");
    };
  }
}
