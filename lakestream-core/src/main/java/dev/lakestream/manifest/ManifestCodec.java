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

import com.google.protobuf.MessageLite;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The bytes of a manifest object: {@code ["LKSM"][u32 version][Manifest][ManifestDelta][trailer]},
 * and the trailer, little-endian: {@code [u32 manifest length][u32 delta length][u32 CRC32C of the
 * header and the manifest][u32 CRC32C of the delta][u32 CRC32C of the 16 bytes before][u32
 * version]["LKSM"]}. The delta stands last, so that one suffix read gives it to whoever knows the
 * parent.
 */
final class ManifestCodec {

  static final String MAGIC = "LKSM";
  static final int VERSION = 1;
  static final int TRAILER_LENGTH = 28;

  private ManifestCodec() {}

  /**
   * @param parent empty only for a root
   */
  static byte[] encode(Manifest manifest, Optional<Manifest> parent) {
    MessageLite body = toProto(manifest);
    MessageLite delta =
        parent
            .map(known -> deltaToProto(ManifestDelta.between(known, manifest)))
            .orElseGet(dev.lakestream.proto.ManifestDelta::getDefaultInstance);
    int bodyLength = body.getSerializedSize();
    int deltaLength = delta.getSerializedSize();
    int deltaAt = Frame.HEADER_LENGTH + bodyLength;
    byte[] bytes = new byte[deltaAt + deltaLength + TRAILER_LENGTH];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putHeader(out, MAGIC, VERSION);
    Frame.putMessage(out.slice(Frame.HEADER_LENGTH, bodyLength), body);
    Frame.putMessage(out.slice(deltaAt, deltaLength), delta);
    int trailerAt = deltaAt + deltaLength;
    out.position(trailerAt);
    out.putInt(bodyLength).putInt(deltaLength);
    out.putInt(Frame.crc32c(bytes, 0, deltaAt)).putInt(Frame.crc32c(bytes, deltaAt, deltaLength));
    out.putInt(Frame.crc32c(bytes, trailerAt, 16));
    out.putInt(VERSION).put(Frame.magicBytes(MAGIC));
    return bytes;
  }

  /** The whole manifest, every checksum verified. */
  static Manifest decode(ByteBuffer object, String what) {
    ByteBuffer in = object.slice().order(ByteOrder.LITTLE_ENDIAN);
    Trailer trailer = Trailer.at(in, what);
    if (trailer.objectLength() != in.remaining()) {
      throw new CorruptObjectException(
          what + " has " + in.remaining() + " bytes and states " + trailer.objectLength() + ".");
    }
    Frame.checkHeader(in, MAGIC, VERSION, what);
    int deltaAt = Frame.HEADER_LENGTH + trailer.bodyLength;
    Frame.checkCrc(in.slice(0, deltaAt), trailer.bodyCrc, what);
    Frame.checkCrc(in.slice(deltaAt, trailer.deltaLength), trailer.deltaCrc, what);
    var proto =
        Frame.parse(
            in.slice(Frame.HEADER_LENGTH, trailer.bodyLength),
            dev.lakestream.proto.Manifest.parser(),
            what);
    return ManifestRules.checked(fromProto(proto, what), what);
  }

  /**
   * The delta at the end of a manifest object.
   *
   * @param suffix the last bytes of the object
   * @return empty if the suffix is too short to hold it, or there is none, as in a root: read the
   *     object whole
   */
  static Optional<ManifestDelta> decodeDelta(ByteBuffer suffix, String what) {
    ByteBuffer in = suffix.slice().order(ByteOrder.LITTLE_ENDIAN);
    Trailer trailer = Trailer.at(in, what);
    int deltaAt = in.remaining() - TRAILER_LENGTH - trailer.deltaLength;
    if (deltaAt < 0 || trailer.deltaLength == 0) {
      return Optional.empty();
    }
    Frame.checkCrc(in.slice(deltaAt, trailer.deltaLength), trailer.deltaCrc, what);
    var proto =
        Frame.parse(
            in.slice(deltaAt, trailer.deltaLength),
            dev.lakestream.proto.ManifestDelta.parser(),
            what);
    return Optional.of(deltaFromProto(proto, what));
  }

  private record Trailer(int bodyLength, int deltaLength, int bodyCrc, int deltaCrc) {

    static Trailer at(ByteBuffer in, String what) {
      int at = in.remaining() - TRAILER_LENGTH;
      if (at < 0) {
        throw new CorruptObjectException(what + " is too short: " + in.remaining() + " bytes.");
      }
      Frame.checkMagic(in, in.remaining() - Frame.MAGIC_LENGTH, MAGIC, what);
      Frame.checkVersion(in.getInt(at + 20), VERSION, what);
      Frame.checkCrc(in.slice(at, 16), in.getInt(at + 16), what);
      int bodyLength = in.getInt(at);
      int deltaLength = in.getInt(at + 4);
      if (bodyLength < 0 || deltaLength < 0) {
        throw new CorruptObjectException(
            what + " states lengths of " + bodyLength + " and " + deltaLength + " bytes.");
      }
      return new Trailer(bodyLength, deltaLength, in.getInt(at + 8), in.getInt(at + 12));
    }

    long objectLength() {
      return (long) Frame.HEADER_LENGTH + bodyLength + deltaLength + TRAILER_LENGTH;
    }
  }

  private static dev.lakestream.proto.Manifest toProto(Manifest manifest) {
    var builder =
        dev.lakestream.proto.Manifest.newBuilder()
            .setStreamId(Uuids.toBytes(manifest.streamId()))
            .setVersion(manifest.version())
            .setCommitId(Uuids.toBytes(manifest.commitId()))
            .setCreatedAt(manifest.createdAt())
            .setFirstStep(manifest.firstStep())
            .setFirstRow(manifest.firstRow())
            .setNextStep(manifest.nextStep())
            .setNextRow(manifest.nextRow())
            .setTotalRecords(manifest.totalRecords())
            .setTotalRawBytes(manifest.totalRawBytes())
            .setOperation(manifest.operation())
            .setDropped(manifest.dropped());
    manifest
        .parentCommitId()
        .ifPresent(
            parent ->
                builder
                    .setParentVersion(manifest.version() - 1)
                    .setParentCommitId(Uuids.toBytes(parent)));
    manifest.sealed().ifPresent(root -> builder.setSealed(ManifestProtos.toProto(root)));
    manifest.tail().forEach(bundle -> builder.addTail(ManifestProtos.toProto(bundle)));
    manifest.producers().forEach(entry -> builder.addProducers(ManifestProtos.toProto(entry)));
    return builder.build();
  }

  private static Manifest fromProto(dev.lakestream.proto.Manifest proto, String what) {
    return new Manifest(
        Uuids.fromBytes(proto.getStreamId(), what),
        proto.getVersion(),
        Uuids.fromBytes(proto.getCommitId(), what),
        proto.getParentCommitId().isEmpty()
            ? Optional.empty()
            : Optional.of(Uuids.fromBytes(proto.getParentCommitId(), what)),
        proto.getCreatedAt(),
        proto.getFirstStep(),
        proto.getFirstRow(),
        proto.getNextStep(),
        proto.getNextRow(),
        proto.hasSealed()
            ? Optional.of(ManifestProtos.fromProto(proto.getSealed(), what))
            : Optional.empty(),
        proto.getTailList().stream().map(b -> ManifestProtos.fromProto(b, what)).toList(),
        proto.getProducersList().stream().map(e -> ManifestProtos.fromProto(e, what)).toList(),
        proto.getTotalRecords(),
        proto.getTotalRawBytes(),
        proto.getOperation(),
        proto.getDropped());
  }

  private static dev.lakestream.proto.ManifestDelta deltaToProto(ManifestDelta delta) {
    var builder =
        dev.lakestream.proto.ManifestDelta.newBuilder()
            .setVersion(delta.version())
            .setCommitId(Uuids.toBytes(delta.commitId()))
            .setParentCommitId(Uuids.toBytes(delta.parentCommitId()))
            .setCreatedAt(delta.createdAt())
            .setFirstStep(delta.firstStep())
            .setFirstRow(delta.firstRow())
            .setNextStep(delta.nextStep())
            .setNextRow(delta.nextRow())
            .setSealedChanged(delta.sealedChanged())
            .setTailFirstStep(delta.tailFirstStep())
            .addAllRetiredProducers(delta.retiredProducers())
            .setTotalRecords(delta.totalRecords())
            .setTotalRawBytes(delta.totalRawBytes())
            .setOperation(delta.operation());
    delta.sealed().ifPresent(root -> builder.setSealed(ManifestProtos.toProto(root)));
    delta.appended().forEach(bundle -> builder.addAppended(ManifestProtos.toProto(bundle)));
    delta.producers().forEach(entry -> builder.addProducers(ManifestProtos.toProto(entry)));
    return builder.build();
  }

  private static ManifestDelta deltaFromProto(
      dev.lakestream.proto.ManifestDelta proto, String what) {
    return new ManifestDelta(
        proto.getVersion(),
        Uuids.fromBytes(proto.getCommitId(), what),
        Uuids.fromBytes(proto.getParentCommitId(), what),
        proto.getCreatedAt(),
        proto.getFirstStep(),
        proto.getFirstRow(),
        proto.getNextStep(),
        proto.getNextRow(),
        proto.getAppendedList().stream().map(b -> ManifestProtos.fromProto(b, what)).toList(),
        proto.getSealedChanged(),
        proto.hasSealed()
            ? Optional.of(ManifestProtos.fromProto(proto.getSealed(), what))
            : Optional.empty(),
        proto.getTailFirstStep(),
        proto.getProducersList().stream().map(e -> ManifestProtos.fromProto(e, what)).toList(),
        proto.getRetiredProducersList(),
        proto.getTotalRecords(),
        proto.getTotalRawBytes(),
        proto.getOperation());
  }
}
