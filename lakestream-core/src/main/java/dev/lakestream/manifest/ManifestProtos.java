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
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.BundleDescriptor.Builder;
import java.util.Optional;
import java.util.UUID;

/** Between the records of this room and the messages of {@code lakestream.proto}. */
final class ManifestProtos {

  private ManifestProtos() {}

  static dev.lakestream.proto.BundleDescriptor toProto(BundleDescriptor descriptor) {
    StagedBundle bundle = descriptor.bundle();
    Builder builder =
        dev.lakestream.proto.BundleDescriptor.newBuilder()
            .setObject(bundle.object())
            .setObjectLength(bundle.objectLength())
            .setFooterOffset(bundle.footerOffset())
            .setFooterLength(bundle.footerLength())
            .setFirstStep(descriptor.firstStep())
            .setTgbCount(bundle.tgbCount())
            .setFirstRow(descriptor.firstRow())
            .setMesh(Messages.toMessage(bundle.mesh()))
            .setRecords(bundle.records())
            .setRawBytes(bundle.rawBytes())
            .setProducerId(descriptor.producerId())
            .setSequence(descriptor.sequence())
            .putAllAttributes(bundle.attributes())
            .setSectionStride(bundle.sectionStride())
            .setVersion(descriptor.version())
            .setPublishedAt(descriptor.publishedAt());
    if (bundle.eventTime() != null) {
      builder.setEventTime(Messages.toMessage(bundle.eventTime()));
    }
    for (Redaction redaction : descriptor.redactions()) {
      builder.addRedactions(
          dev.lakestream.proto.Redaction.newBuilder()
              .setTgb(redaction.tgb())
              .setRecords(redaction.records())
              .setRedactedAt(redaction.redactedAt())
              .setReason(redaction.reason()));
    }
    return builder.build();
  }

  static BundleDescriptor fromProto(dev.lakestream.proto.BundleDescriptor proto, String what) {
    String where = what + ", bundle " + proto.getObject();
    return new BundleDescriptor(
        new StagedBundle(
            relative(proto.getObject(), StreamKeys.DATA_PREFIX, what),
            proto.getObjectLength(),
            proto.getFooterOffset(),
            proto.getFooterLength(),
            proto.getTgbCount(),
            Messages.fromMessage(proto.getMesh(), where),
            proto.getRecords(),
            proto.getRawBytes(),
            proto.hasEventTime() ? Messages.fromMessage(proto.getEventTime(), where) : null,
            proto.getSectionStride(),
            proto.getAttributesMap()),
        proto.getFirstStep(),
        proto.getFirstRow(),
        proto.getProducerId(),
        proto.getSequence(),
        proto.getVersion(),
        proto.getPublishedAt(),
        proto.getRedactionsList().stream().map(message -> redaction(message, where)).toList());
  }

  private static Redaction redaction(dev.lakestream.proto.Redaction proto, String where) {
    try {
      return new Redaction(
          proto.getTgb(), proto.getRecords(), proto.getRedactedAt(), proto.getReason());
    } catch (IllegalArgumentException e) {
      throw new CorruptObjectException(where + ": " + e.getMessage(), e);
    }
  }

  static dev.lakestream.proto.SegmentRef toProto(SegmentRef ref) {
    var builder =
        dev.lakestream.proto.SegmentRef.newBuilder()
            .setObject(ref.object())
            .setObjectLength(ref.objectLength())
            .setObjectCrc(ref.objectCrc())
            .setLevel(ref.level())
            .setFirstStep(ref.firstStep())
            .setStepCount(ref.stepCount())
            .setFirstRow(ref.firstRow())
            .setRowCount(ref.rowCount())
            .setBundles(ref.bundles())
            .setRecords(ref.records())
            .setRawBytes(ref.rawBytes());
    if (ref.eventTime() != null) {
      builder.setEventTime(Messages.toMessage(ref.eventTime()));
    }
    return builder.build();
  }

  static SegmentRef fromProto(dev.lakestream.proto.SegmentRef proto, String what) {
    return new SegmentRef(
        relative(proto.getObject(), StreamKeys.SEGMENT_PREFIX, what),
        proto.getObjectLength(),
        proto.getObjectCrc(),
        proto.getLevel(),
        proto.getFirstStep(),
        proto.getStepCount(),
        proto.getFirstRow(),
        proto.getRowCount(),
        proto.getBundles(),
        proto.getRecords(),
        proto.getRawBytes(),
        proto.hasEventTime() ? Messages.fromMessage(proto.getEventTime(), what) : null);
  }

  static dev.lakestream.proto.ProducerEntry toProto(ProducerEntry entry) {
    var builder =
        dev.lakestream.proto.ProducerEntry.newBuilder()
            .setProducerId(entry.producerId())
            .setUpdatedAt(entry.updatedAt())
            .setForgottenOwners(entry.forgotten().count())
            .setForgottenMarks(entry.forgotten().marks());
    for (Owner owner : entry.owners()) {
      builder.addOwners(
          dev.lakestream.proto.Owner.newBuilder()
              .setOwnerId(Uuids.toBytes(owner.id()))
              .setLineageId(Uuids.toBytes(owner.lineage()))
              .setJobName(owner.jobName())
              .setTakenOverAt(owner.takenOverAt()));
    }
    for (Lineage lineage : entry.lineages()) {
      var part =
          dev.lakestream.proto.Lineage.newBuilder()
              .setLineageId(Uuids.toBytes(lineage.id()))
              .setSequence(lineage.sequence())
              .setLastCommitVersion(lineage.lastCommitVersion())
              .setPosition(lineage.position())
              .setNextStep(lineage.nextStep());
      lineage.publishedBy().ifPresent(by -> part.setPublishedBy(Uuids.toBytes(by)));
      builder.addLineages(part);
    }
    return builder.build();
  }

  static ProducerEntry fromProto(dev.lakestream.proto.ProducerEntry proto, String what) {
    String where = what + ", producer " + proto.getProducerId();
    if (proto.getOwnersCount() == 0) {
      throw new CorruptObjectException(where + " has no owner.");
    }
    ProducerEntry entry =
        new ProducerEntry(
            proto.getProducerId(),
            proto.getOwnersList().stream()
                .map(
                    owner ->
                        new Owner(
                            Uuids.fromBytes(owner.getOwnerId(), where),
                            Uuids.fromBytes(owner.getLineageId(), where),
                            owner.getJobName(),
                            owner.getTakenOverAt()))
                .toList(),
            proto.getLineagesList().stream()
                .map(
                    lineage ->
                        new Lineage(
                            Uuids.fromBytes(lineage.getLineageId(), where),
                            lineage.getSequence(),
                            lineage.getPublishedBy().isEmpty()
                                ? Optional.<UUID>empty()
                                : Optional.of(Uuids.fromBytes(lineage.getPublishedBy(), where)),
                            lineage.getLastCommitVersion(),
                            lineage.getPosition(),
                            lineage.getNextStep()))
                .toList(),
            proto.getUpdatedAt(),
            forgotten(proto, where));
    if (entry.lineage(entry.currentOwner().lineage()).isEmpty()) {
      throw new CorruptObjectException(where + " has an owner whose lineage is missing.");
    }
    return entry;
  }

  private static ForgottenOwners forgotten(dev.lakestream.proto.ProducerEntry proto, String where) {
    try {
      return new ForgottenOwners(proto.getForgottenOwners(), proto.getForgottenMarks());
    } catch (IllegalArgumentException e) {
      throw new CorruptObjectException(where + ": " + e.getMessage(), e);
    }
  }

  /** Names come from bytes that anyone could have written: they never lead out of the stream. */
  private static String relative(String name, String prefix, String what) {
    if (!name.startsWith(prefix) || name.contains("..") || name.contains("//")) {
      throw new CorruptObjectException(
          what + " names the object \"" + name + "\", which is not in " + prefix + ".");
    }
    return name;
  }
}
